"""The rows of the endpoint table for imports over HTTP. All of them need a key."""

from __future__ import annotations

from typing import Any, Final

from kb.api import answers, import_answers
from kb.api.bodies import Body, Member
from kb.api.operations import Endpoint, PathParameter
from kb.api.parameters import Parameter

__all__ = ["IMPORTING"]

_SCOPE: Final = "import"
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
_EXAMPLE: Final = "4f0c5f0e-7a3c-4b54-9d3b-3f6f0c1d2e4a"
_LISTS: Final = ("invalid_parameter", "bad_cursor", "query_too_long")
_GUARDED: Final = ("key_required", "forbidden")
_ID = PathParameter(
    name="id", description="Id of the import.", pattern="[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", example=_EXAMPLE
)
_CURSOR = Parameter(name="cursor", description="Where the list goes on; taken from `next`.", longest=2_400)
# What a client may choose; see kb.imports.jobs.runs.CHOICES.
_CHOICES: Final = (
    ("confirm", "Whether a large part of the dataset may be gone."),
    ("allowOlder", "Whether its version may be older than the one held."),
    ("force", "Whether a source is read that is known to be unchanged, or a version that was rolled back."),
    ("strict", "Whether one rejected record refuses everything."),
    ("dryRun", "Whether only to report what would change."),
)
_COMPLETE: Final = "Whether what the source lacks is retired; by default as its shape says."


def _limit(default: int, most: int = 100) -> Parameter:
    return Parameter(name="limit", description="How many results.", kind="integer", least=1, most=most, default=default)


def _flag(name: str, description: str) -> Parameter:
    return Parameter(name=name, description=description, kind="choice", choices=("true", "false"))


def _member(name: str, description: str) -> Member:
    return Member(name=name, description=description, kind="flag")


_BODY = Body(
    name="ImportRequest",
    description="The update of a registered dataset.",
    members=(
        Member(name="dataset", description="Name of a registered dataset.", kind="text"),
        _member("complete", _COMPLETE),
        *(_member(*row) for row in _CHOICES),
    ),
    one_of=("dataset",),
)
_OPTIONS = (
    Parameter(
        name="dataset",
        description="For an uploaded file: whose records these are. It is made when it is new.",
        pattern=_NAME,
        shape="the name of a dataset: letters, digits, '.', '_' and '-'",
    ),
    Parameter(
        name="filename",
        description="For a raw body: what the file is called; its ending tells what it is, as on the command line.",
        longest=200,
    ),
    _flag("complete", f"For an uploaded file. {_COMPLETE}"),
    *(_flag(name, f"For an uploaded file. {description}") for name, description in _CHOICES),
)


def _endpoint(**row: Any) -> Endpoint:
    row["problems"] = (*row.get("problems", ()), *_GUARDED)
    return Endpoint(tag="imports", scope=_SCOPE, tagged=False, **row)


IMPORTING = (
    _endpoint(
        operation="listImports",
        path="imports/",
        summary="List imports",
        description="Imports that were asked for over HTTP in the last 30 days, the newest first.",
        answer=import_answers.ImportList,
        parameters=(_CURSOR, _limit(20)),
        problems=_LISTS,
    ),
    _endpoint(
        operation="startImport",
        path="imports/",
        method="post",
        status=202,
        summary="Start an import",
        description="Queues the update of a registered dataset, named in a JSON body, or the import of a file. A file "
        "is the raw body (`application/octet-stream`, with `filename`), or the part `file` of a form "
        "(`multipart/form-data`); `dataset` and options then stand in the query. The answer comes at once; the worker "
        "(`faultbook worker`) runs one import after the other. Follow `apiUrl`.",
        answer=import_answers.ImportAnswer,
        parameters=_OPTIONS,
        problems=(
            "invalid_json",
            "body_too_large",
            "unsupported_media_type",
            "not_found",
            "imports_busy",
        ),
        body=_BODY,
        body_example={"dataset": "public"},
        uploads=True,
    ),
    _endpoint(
        operation="getImport",
        path="imports/{id}/",
        summary="Get an import",
        description="Its state, its progress while it runs, its report once it has ended.",
        answer=import_answers.ImportAnswer,
        path_parameters=(_ID,),
        problems=("not_found",),
    ),
    _endpoint(
        operation="cancelImport",
        path="imports/{id}/cancel/",
        method="post",
        status=202,
        summary="Cancel an import",
        description="One that waits is canceled. One that runs ends with its next step, and changes nothing. For one "
        "that has ended nothing happens.",
        answer=import_answers.ImportAnswer,
        path_parameters=(_ID,),
        problems=("not_found", "imports_busy"),
    ),
    _endpoint(
        operation="getImportLog",
        path="imports/{id}/log/",
        summary="Get the log of an import",
        description="Lines of its log, also while it runs.",
        answer=import_answers.ImportLog,
        path_parameters=(_ID,),
        parameters=(
            Parameter(
                name="after",
                description="Only lines after this number.",
                kind="integer",
                least=0,
                most=1_000_000,
                default=0,
            ),
            _limit(500, 1_000),
        ),
        problems=("not_found",),
    ),
    _endpoint(
        operation="listImportRejections",
        path="imports/{id}/rejections/",
        summary="List what an import rejected",
        description="The records that were not taken, one entry for each rule that they broke; empty before there is a "
        "release.",
        answer=answers.RejectionList,
        path_parameters=(_ID,),
        parameters=(_CURSOR, _limit(50)),
        problems=(*_LISTS, "not_found"),
    ),
)
