"""The endpoints of the API as a table.

A row is all that is said about an endpoint anywhere: its URL pattern, the parameters that it validates, its operation
in the OpenAPI document, and its section of the reference page are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kb.api import answers
from kb.api.change_operations import CHANGES
from kb.api.export_operations import exporting
from kb.api.import_operations import IMPORTING
from kb.api.match_operations import MATCHING
from kb.api.negotiation import JSON, MARKDOWN, NDJSON, OPENAPI
from kb.api.operations import Endpoint, PathParameter
from kb.api.parameters import FULL_NAME, Parameter
from kb.api.quality_operations import QUALITY
from kb.records.record import ERROR_TYPES, HANDLING_STRATEGIES, SEVERITIES
from kb.records.rules import FIELDS
from kb.search.facets import DEFAULT_FACETS, FACETS

__all__ = ["ENDPOINTS", "RECORD_FIELDS", "RESULT_FIELDS", "SUMMARY_FIELDS"]

RECORD_FIELDS = tuple(row.name for row in FIELDS)
SUMMARY_FIELDS = tuple(found.encode_name for found in msgspec.structs.fields(answers.ErrorSummary))
RESULT_FIELDS = tuple(found.encode_name for found in msgspec.structs.fields(answers.SearchResult))

_ID = "12c38bb1afed0ec1"
_NAME = r"[^\x00-\x20/]+"
_SLUG = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
_DIGITS = r"[0-9]+"


# --- parameters ------------------------------------------------------------------------------------------------------

_CURSOR = Parameter(
    name="cursor",
    description="Where the list goes on; taken from `next`. It stays good when the catalog changes.",
    longest=2_400,
)


def _limit(default: int) -> Parameter:
    return Parameter(
        name="limit", description="How many results a page has.", kind="integer", least=1, most=100, default=default
    )


def _values(name: str) -> tuple[str, ...]:
    """The documented values of a field of the record, then the others that some datasets have."""
    row = next(row for row in FIELDS if row.name == name)
    return row.values + row.tolerated


def _filters(*, several: bool) -> tuple[Parameter, ...]:
    """The filters of records. Those of search may be repeated, and know the documented values only, like its index."""

    def choice(name: str, description: str, choices: tuple[str, ...]) -> Parameter:
        return Parameter(name=name, description=description, kind="choice", choices=choices, several=several)

    def text(name: str, description: str, **more: Any) -> Parameter:
        return Parameter(name=name, description=description, several=several, **more)

    return (
        text("repo", "Repository, owner/name.", pattern=FULL_NAME, shape="owner/name"),
        text("language", "Programming language of the file that raises the error, for example Python."),
        choice("severity", "How bad it is.", SEVERITIES),
        choice("type", "How the error shows itself.", ERROR_TYPES if several else _values("errorType")),
        text("class", "Class of the error, for example TypeError.", longest=500),
        text("code", "Error code, whatever its case, for example ECONNRESET.", longest=500),
        choice("strategy", "How to handle it.", HANDLING_STRATEGIES if several else _values("handlingStrategy")),
        text("family", "Family (`backgroundTag`).", pattern=_SLUG, shape="words of a-z and 0-9 joined by -"),
        text("tag", "Tag.", pattern=_SLUG, shape="words of a-z and 0-9 joined by -"),
        Parameter(
            name="status",
            description="Records in their dataset, records that left it, or both.",
            kind="choice",
            choices=("current", "retired", "all"),
            default="current",
        ),
    )


def _fields(choices: tuple[str, ...], description: str) -> Parameter:
    return Parameter(name="fields", description=description, kind="choices", choices=choices)


def _list_fields(members: tuple[str, ...]) -> Parameter:
    return _fields(
        tuple(dict.fromkeys(members + RECORD_FIELDS)),
        "Members of each result, separated by commas: those of a result, and every field of the record.",
    )


_DATASET = Parameter(
    name="dataset", description="Dataset that the shown copy came with.", pattern=r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
    shape="the name of a dataset",
)  # fmt: skip
_ID_PART = PathParameter(name="id", description="Id of the record.", pattern="[0-9a-f]{16}", example=_ID)
_RELEASE_PART = PathParameter(
    name="id", description="Number of the release.", pattern=_DIGITS, example="3", integer=True
)

# --- endpoints -------------------------------------------------------------------------------------------------------

_LISTS = ("invalid_parameter", "bad_cursor", "query_too_long")

_ERRORS = (
    Endpoint(
        operation="listErrors",
        path="errors/",
        tag="errors",
        summary="List records",
        description="Records that pass all filters, by repository and slug. Lists carry no count; search does.",
        answer=answers.ErrorList,
        parameters=(*_filters(several=False), _DATASET, _list_fields(SUMMARY_FIELDS), _CURSOR, _limit(20)),
        problems=_LISTS,
        query_example={"severity": "error", "limit": "2"},
    ),
    Endpoint(
        operation="getError",
        path="errors/{id}/",
        tag="errors",
        summary="Get a record",
        description="One record, field for field as its dataset has it, with what the catalog knows about it. "
        "With `Accept: text/markdown` the same as a document.",
        answer=answers.ErrorAnswer,
        path_parameters=(_ID_PART,),
        parameters=(_fields(RECORD_FIELDS, "Fields of the record, separated by commas; all of them by default."),),
        media_types=(JSON, MARKDOWN),
        problems=("not_found",),
    ),
    Endpoint(
        operation="searchErrors",
        path="search/",
        tag="errors",
        summary="Search records",
        description="Words, exact words in quotation marks, excluded `-words` and filters such as "
        "`repo:axios/axios severity:critical` in one query. A repeated filter parameter means either value. "
        "What was not understood in `q` is told in `problems`, and the rest is searched.",
        answer=answers.SearchAnswer,
        parameters=(
            Parameter(
                name="q",
                description="The query, at most 2,000 bytes as encoded; without it the filters alone decide.",
                longest=2_000,
                may_be_empty=True,
                default="",
                example="connection timeout",
            ),
            *_filters(several=True),
            Parameter(
                name="facets",
                description="Which counts to make, separated by commas; `none` for no counts.",
                kind="choices",
                choices=(*FACETS, "none"),
                default=DEFAULT_FACETS,
            ),
            _list_fields(RESULT_FIELDS),
            _CURSOR,
            _limit(20),
        ),
        problems=(*_LISTS, "search_unavailable"),
        query_example={"q": "connection timeout", "limit": "1", "facets": "severity"},
    ),
)

_EXPORTS = (exporting((*_filters(several=False), _DATASET, _CURSOR)),)

_REPOSITORIES = (
    Endpoint(
        operation="listRepositories",
        path="repositories/",
        tag="repositories",
        summary="List repositories",
        description="Repositories by name.",
        answer=answers.RepositoryList,
        parameters=(
            Parameter(name="q", description="Only names that contain this, whatever its case.", longest=100),
            _CURSOR,
            _limit(50),
        ),
        problems=_LISTS,
    ),
    Endpoint(
        operation="getRepository",
        path="repositories/{owner}/{name}/",
        tag="repositories",
        summary="Get a repository",
        description="One repository, whatever the case of its name.",
        answer=answers.RepositoryAnswer,
        path_parameters=(
            PathParameter(name="owner", description="Its owner.", pattern=_NAME, example="psycopg"),
            PathParameter(name="name", description="Its name.", pattern=_NAME, example="psycopg"),
        ),
        problems=("not_found",),
    ),
)


def _terms(kind: str, plural: str, *, part: str, example: str, description: str) -> tuple[Endpoint, Endpoint]:
    """The list and the item of one kind of term."""
    name = plural.title()
    pattern = r"[a-z0-9][a-z0-9-]*"
    return (
        Endpoint(
            operation=f"list{name}",
            path=f"{plural}/",
            tag=plural,
            summary=f"List {plural}",
            description=f"{description} By label, with counts over current records.",
            answer=answers.TermList,
            parameters=(
                Parameter(name="prefix", description="Only labels that begin with this.", longest=100),
                _CURSOR,
                _limit(50),
            ),
            problems=_LISTS,
        ),
        Endpoint(
            operation=f"get{kind.title()}",
            path=f"{plural}/{{{part}}}/",
            tag=plural,
            summary=f"Get a {kind}",
            description=f"One {kind} with its counts, and its background article when there is one.",
            answer=answers.TermAnswer,
            path_parameters=(
                PathParameter(name=part, description=f"Key of the {kind}.", pattern=pattern, example=example),
            ),
            problems=("not_found",),
        ),
    )


_TERMS = (
    *_terms(
        "family", "families", part="slug", example="connection-refused",
        description="Families of errors of one kind that span repositories.",
    ),
    *_terms("code", "codes", part="key", example="econnrefused-415e89", description="Error codes."),
    *_terms("class", "classes", part="key", example="connectiontimeout-f5e0f5", description="Error classes."),
    *_terms("tag", "tags", part="tag", example="network", description="Tags."),
)  # fmt: skip

_REJECTIONS = "releases/{id}/rejections"
_RELEASES = (
    Endpoint(
        operation="listReleases",
        path="releases/",
        tag="releases",
        summary="List releases",
        description="Every import of every dataset, the newest first.",
        answer=answers.ReleaseList,
        parameters=(_CURSOR, _limit(20)),
        problems=_LISTS,
    ),
    Endpoint(
        operation="getRelease",
        path="releases/{id}/",
        tag="releases",
        summary="Get a release",
        description="One import with its report.",
        answer=answers.ReleaseAnswer,
        path_parameters=(_RELEASE_PART,),
        problems=("not_found",),
    ),
    Endpoint(
        operation="listRejections",
        path=f"{_REJECTIONS}/",
        tag="releases",
        summary="List rejections",
        description="The records of a source that were not taken, one entry for each rule that they broke.",
        answer=answers.RejectionList,
        path_parameters=(_RELEASE_PART,),
        parameters=(_CURSOR, _limit(50)),
        problems=(*_LISTS, "not_found"),
    ),
    Endpoint(
        operation="downloadRejections",
        path=f"{_REJECTIONS}.ndjson",
        tag="releases",
        summary="Download rejections",
        description="All rejections of a release, one JSON object a line.",
        answer=answers.Rejection,
        path_parameters=(_RELEASE_PART,),
        media_types=(NDJSON,),
        problems=("not_found",),
    ),
)

_ABOUT = (
    Endpoint(
        operation="getRoot",
        path="",
        tag="about",
        summary="What is here",
        description="Counts, and the addresses of all endpoints.",
        answer=answers.RootAnswer,
    ),
    Endpoint(
        operation="getSchema",
        path="schema/",
        tag="about",
        summary="Get the OpenAPI document",
        description="The OpenAPI 3.1 document of this API.",
        answer=None,
        media_types=(OPENAPI, JSON),
    ),
)

ENDPOINTS: Mapping[str, Endpoint] = {
    row.operation: row
    for row in (
        *_ERRORS,
        *_EXPORTS,
        *MATCHING,
        *_REPOSITORIES,
        *_TERMS,
        *_RELEASES,
        *CHANGES,
        *QUALITY,
        *IMPORTING,
        *_ABOUT,
    )
}
