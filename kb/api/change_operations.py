"""The rows of the endpoint table for changes: the feed, and the history of a record."""

from __future__ import annotations

from typing import Final

from kb.api.change_answers import ChangeList, History
from kb.api.operations import Endpoint, PathParameter
from kb.api.parameters import FULL_NAME, Parameter
from kb.catalog.history_answers import CHANGE_KINDS

__all__ = ["CHANGES"]

_CURSOR: Final = Parameter(
    name="cursor",
    description="Where the list goes on; taken from `next`. It stays good when the catalog changes.",
    longest=2_400,
)
_CONTENT: Final = Parameter(
    name="content",
    description="`record` adds the whole record after each change.",
    kind="choice",
    choices=("none", "record"),
    default="none",
)
_PROBLEMS: Final = ("invalid_parameter", "bad_cursor", "query_too_long")

CHANGES = (
    Endpoint(
        operation="getHistory",
        path="errors/{id}/history/",
        tag="changes",
        summary="Get the history of a record",
        description="What each revision changed in a record, the newest first: prose by words, code by lines, lists by "
        "entries. Changes that the catalog no longer keeps are not there.",
        answer=History,
        path_parameters=(
            PathParameter(
                name="id", description="Id of the record.", pattern="[0-9a-f]{16}", example="12c38bb1afed0ec1"
            ),
        ),
        parameters=(
            _CONTENT,
            _CURSOR,
            Parameter(
                name="limit", description="How many results a page has.", kind="integer", least=1, most=50, default=10
            ),
        ),
        problems=(*_PROBLEMS, "not_found"),
    ),
    Endpoint(
        operation="listChanges",
        path="changes/",
        tag="changes",
        summary="List changes",
        description="Every change of every record in the order of revisions, within one by record: the feed that a "
        "copy of the catalog follows. Begin with `after=0&content=record`, follow `next` to its end, keep the answer's "
        "`revision`, and ask with it as `after` the next time; the last change of a record is its state. "
        "Where changes after `after` are no longer kept, the answer is `resync_required`: get an export, "
        "which names its revision, and go on after that. A page can be shorter than asked.",
        answer=ChangeList,
        parameters=(
            Parameter(
                name="after",
                description="Only changes of revisions after this one. Without it the list begins with what is kept.",
                kind="integer",
                least=0,
                most=999_999_999,
            ),
            Parameter(
                name="kind",
                description="Only changes of this kind; may be repeated. Without `retired` a copy never forgets.",
                kind="choice",
                choices=CHANGE_KINDS,
                several=True,
            ),
            Parameter(
                name="repo", description="Only records of this repository.", pattern=FULL_NAME, shape="owner/name"
            ),
            _CONTENT,
            Parameter(
                name="order",
                description="Which revisions come first.",
                kind="choice",
                choices=("oldest", "newest"),
                default="oldest",
            ),
            _CURSOR,
            Parameter(
                name="limit",
                description="How many results a page has.",
                kind="integer",
                least=1,
                most=1000,
                default=100,
            ),
        ),
        problems=(*_PROBLEMS, "resync_required"),
        query_example={"after": "0", "limit": "2"},
    ),
)
