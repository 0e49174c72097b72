"""The rows of the endpoint table for matching: one text in an address, or texts in a body."""

from __future__ import annotations

from typing import Any, Final, get_args

from kb.api.bodies import Body, Member
from kb.api.match_answers import MatchAnswer, MatchDetail
from kb.api.operations import Endpoint
from kb.api.parameters import FULL_NAME, Parameter
from kb.matching.tuning import MAX_TEXTS

__all__ = ["MATCHING"]

_DETAILS: Final = get_args(MatchDetail)
_MOST_NAMES: Final = 100
_LONGEST_NAME: Final = 200
_LIMIT: Final[dict[str, Any]] = {"kind": "integer", "least": 1, "most": 20, "default": 5}
_DETAIL: Final[dict[str, Any]] = {"kind": "choice", "choices": _DETAILS, "default": "summary"}
_LIMIT_MEANS: Final = "How many matches an exception has at most."
_DETAIL_MEANS: Final = "What is told of each record: its id alone, its line of a list, or the whole of it as well."
_PACKAGES: Final = "Packages in use, for example `axios`. Context raises records, and never excludes any."
_REPOSITORIES: Final = "Repositories in use, owner/name."
_LANGUAGES: Final = "Programming languages in use, for example Python."
_TEXT: Final = "A message, a stack trace, a log excerpt: whatever was on screen, 256 KiB at most."

_RESULT = (
    "Every exception of the text has its matches, with score, confidence and evidence. `best` is the best match of "
    "all, and null when nothing is at least weak. Secrets such as passwords and tokens are masked in what is answered. "
    "Texts are neither stored nor logged."
)


def _names(name: str, description: str, **more: Any) -> Member:
    return Member(
        name=name, description=description, kind="names", longest=_LONGEST_NAME, most=_MOST_NAMES, default=(), **more
    )


_CONTEXT = Member(
    name="context",
    description="What the caller knows about the program. It raises records, and never excludes any.",
    kind="object",
    members=(
        _names("packages", "Packages in use, for example `axios`."),
        _names("repositories", _REPOSITORIES, pattern=FULL_NAME, shape="owner/name"),
        _names("languages", _LANGUAGES),
    ),
)

_BODY = Body(
    name="MatchRequest",
    description="One `text`, or several `texts`.",
    members=(
        Member(name="text", description=_TEXT, kind="text"),
        Member(
            name="texts",
            description="Texts to be answered one by one, in order. One over 256 KiB is answered as `too_large`, the "
            "others as ever.",
            kind="texts",
            least=1,
            most=MAX_TEXTS,
        ),
        Member(name="limit", description=_LIMIT_MEANS, **_LIMIT),
        Member(name="detail", description=_DETAIL_MEANS, **_DETAIL),
        _CONTEXT,
    ),
    one_of=("text", "texts"),
)

MATCHING = (
    Endpoint(
        operation="matchText",
        path="match/",
        tag="match",
        summary="Match a short text",
        description=f"The records of the errors in a message. {_RESULT} An address is kept by browsers and proxies: "
        "send with POST what is long or not for everybody.",
        answer=MatchAnswer,
        parameters=(
            Parameter(
                name="q",
                description="The text, at most 2,000 bytes as encoded; POST takes more.",
                longest=2_000,
                may_be_empty=True,
                required=True,
                example="connection timeout expired",
            ),
            Parameter(name="limit", description=_LIMIT_MEANS, **_LIMIT),
            Parameter(name="detail", description=_DETAIL_MEANS, **_DETAIL),
            Parameter(name="packages", description=_PACKAGES, several=True),
            Parameter(
                name="repositories", description=_REPOSITORIES, several=True, pattern=FULL_NAME, shape="owner/name"
            ),
            Parameter(name="languages", description=_LANGUAGES, several=True),
        ),
        problems=("search_unavailable",),
        query_example={"q": "connection timeout expired", "limit": "1", "detail": "ids"},
        tagged=False,
    ),
    Endpoint(
        operation="matchTexts",
        path="match/",
        method="post",
        tag="match",
        summary="Match texts",
        description=f"The records of the errors in one text, or in up to 100, one result each in order. {_RESULT}\n\n"
        "A call changes nothing and may be repeated. NUL and lone surrogates in a text are read as U+FFFD, since "
        "terminals paste them. An answer has 2,000 summaries and 500 whole records at most; what is found beyond has "
        "less detail.",
        answer=MatchAnswer,
        problems=("invalid_json", "body_too_large", "text_too_large", "unsupported_media_type", "search_unavailable"),
        body=_BODY,
        body_example={"text": "psycopg.errors.ConnectionTimeout: connection timeout expired", "limit": 2},
        tagged=False,
    ),
)
