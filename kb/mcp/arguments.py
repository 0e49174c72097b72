"""What the tools take, as types; reading it, and what is said of wrong arguments.

Schemas and checks come from the same types. The words of a refusal are meant for a model, which can put right what it
did wrong: they name the argument, what it takes, and the nearest right name.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

import msgspec
from django_mcpz.schemas import type_schema
from django_mcpz.server import ToolError
from msgspec import Meta, Struct

from kb.catalog.history_answers import ChangeKind
from kb.matching.tuning import MAX_TEXT
from kb.mcp.budget import DEFAULT_TOKENS, LEAST_TOKENS, MOST_TOKENS
from kb.mcp.framing import line_of
from kb.records.text import clean_text
from kb.search.tuning import MAX_QUERY_CHARACTERS

__all__ = [
    "SECTIONS",
    "ChangeArguments",
    "ErrorArguments",
    "ExplainArguments",
    "RepositoryArguments",
    "SearchArguments",
    "SectionName",
    "read",
    "schema_of",
]

A = TypeVar("A", bound=Struct)

SectionName = Literal[
    "documentation",
    "solutions",
    "example_fix",
    "source_code",
    "try_catch_pattern",
    "validation_code",
    "type_guard",
    "trigger_scenarios",
    "common_situations",
    "prevention_tips",
    "message_pattern",
    "provenance",
]
SECTIONS: Final[tuple[SectionName, ...]] = get_args(SectionName)

_MOST_NAMES: Final = 50
_LONGEST_NAME: Final = 200
_LONGEST_CURSOR: Final = 2_000
_LONGEST_REFERENCE: Final = 500
_SHOWN: Final = 60  # characters of a name that is wrong

_Name = Annotated[str, Meta(max_length=_LONGEST_NAME)]
_Names = Annotated[list[_Name], Meta(max_length=_MOST_NAMES)]
_Repository = Annotated[
    Annotated[str, Meta(max_length=_LONGEST_NAME)] | None,
    Meta(description="Only this repository, as owner/name; list_repositories tells the names."),
]
_Cursor = Annotated[
    Annotated[str, Meta(max_length=_LONGEST_CURSOR)] | None,
    Meta(description="Where to go on: `next` of the page before, with the other arguments unchanged."),
]
_MaxTokens = Annotated[
    int,
    Meta(
        ge=LEAST_TOKENS,
        le=MOST_TOKENS,
        description="How many tokens the whole answer may take, text and structured content together (an estimate on "
        "the high side). What does not fit is left out and named.",
    ),
]


class ExplainArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of ``explain_error``."""

    text: Annotated[
        str,
        Meta(
            description="The error as printed: a message, a whole stack trace, the end of a log. Paste it unchanged; "
            "256 KiB at most. It is neither stored nor logged."
        ),
    ]
    packages: Annotated[_Names, Meta(description="Packages in use, for example axios; raises their records.")] = []
    repositories: Annotated[_Names, Meta(description="Repositories in use, owner/name; raises their records.")] = []
    languages: Annotated[_Names, Meta(description="Programming languages in use; raises their records.")] = []
    limit: Annotated[int, Meta(ge=1, le=10, description="How many records an error has at most.")] = 3
    max_tokens: _MaxTokens = DEFAULT_TOKENS


class SearchArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of ``search_errors``."""

    query: Annotated[
        str,
        Meta(
            max_length=MAX_QUERY_CHARACTERS,
            description='Words, "exact words", -word, and field:value with the fields repo, language, severity, type, '
            "class, code, family, tag, http and file. For a whole error or trace use explain_error.",
        ),
    ]
    repository: _Repository = None
    language: Annotated[_Name | None, Meta(description="Only this programming language.")] = None
    severity: Annotated[
        Literal["critical", "error", "warning", "info"] | None, Meta(description="Only this severity.")
    ] = None
    limit: Annotated[int, Meta(ge=1, le=50, description="How many records at most.")] = 10
    cursor: _Cursor = None
    max_tokens: _MaxTokens = DEFAULT_TOKENS


class ErrorArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of ``get_error``."""

    reference: Annotated[
        str,
        Meta(
            max_length=_LONGEST_REFERENCE,
            description="A record's id (16 hexadecimal digits), the address of its page, owner/name/slug, or an error "
            "code such as E0382.",
        ),
    ]
    sections: Annotated[
        list[SectionName] | None,
        Meta(description="Which parts to tell, in this order; null for what helps most, as far as it fits."),
    ] = None
    max_tokens: _MaxTokens = DEFAULT_TOKENS


class RepositoryArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of ``list_repositories``."""

    query: Annotated[
        str, Meta(max_length=_LONGEST_NAME, description="Part of owner/name, whatever its case; empty for all.")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=100, description="How many repositories at most.")] = 30
    cursor: _Cursor = None
    max_tokens: _MaxTokens = DEFAULT_TOKENS


class ChangeArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of ``what_changed``."""

    since_revision: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(
            description="Changes after this revision, the oldest first: the `revision` of an earlier answer. Null for "
            "the latest changes, the newest first.",
        ),
    ] = None
    repository: _Repository = None
    kinds: Annotated[list[ChangeKind], Meta(description="Only these kinds of change; empty for all.")] = []
    limit: Annotated[int, Meta(ge=1, le=100, description="How many changes at most.")] = 20
    cursor: _Cursor = None
    max_tokens: _MaxTokens = DEFAULT_TOKENS


def schema_of(type_: type[Struct]) -> dict[str, Any]:
    """The JSON Schema of arguments or of an answer, with its members at the root."""
    schema = type_schema(type_)
    schema.pop("title", None)
    schema.pop("description", None)  # of the class; the tool has its own
    return schema


def read(given: Mapping[str, Any], type_: type[A]) -> A:
    """The arguments as a value. A number written as text is taken for the number.

    Raises ``ToolError`` that says what is wrong and what is right.
    """
    names = type_.__struct_fields__
    for name in sorted(set(given) - set(names)):
        near = difflib.get_close_matches(name[:_LONGEST_NAME], names, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise ToolError(
            f"There is no argument {line_of(name, _SHOWN)!r}. {hint}The arguments are {', '.join(names)}. "
            "Call the tool again with these alone."
        )
    readable = {name: clean_text(value)[0] if isinstance(value, str) else value for name, value in given.items()}
    try:
        arguments = msgspec.convert(readable, type_, strict=False)
    except msgspec.ValidationError as error:
        wrong = line_of(str(error), _LONGEST_NAME).replace("`$.", "`")
        raise ToolError(f"An argument is wrong: {wrong}. Put it right and call the tool again.") from None
    _check_size(arguments)
    return arguments


def _check_size(arguments: Struct) -> None:
    text = getattr(arguments, "text", "")
    if len(text) > MAX_TEXT or len(text.encode()) > MAX_TEXT:
        raise ToolError(
            f"The text is over the limit of {MAX_TEXT // 1024} KiB. Call the tool again with the end of it, or with "
            "the part that holds the error and its stack trace."
        )
