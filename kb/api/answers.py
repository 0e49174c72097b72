"""The shapes of the API's answers. The OpenAPI document's components are made from these types.

Names are camelCase in JSON. A member that can be missing is ``UNSET`` by default; one that is always there but may have
no value is ``None``. Docstrings and descriptions are read by clients.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

__all__ = [
    "Answer",
    "Article",
    "Cause",
    "DatasetRef",
    "ErrorAnswer",
    "ErrorList",
    "ErrorMeta",
    "ErrorSummary",
    "FacetCount",
    "Highlight",
    "HighlightPart",
    "ParameterProblem",
    "ProblemDetails",
    "QueryNotice",
    "RawRecord",
    "Rejection",
    "RejectionList",
    "Release",
    "ReleaseAnswer",
    "ReleaseList",
    "Repository",
    "RepositoryAnswer",
    "RepositoryList",
    "Retirement",
    "RootAnswer",
    "SearchAnswer",
    "SearchResult",
    "TermAnswer",
    "TermEntry",
    "TermList",
    "Url",
    "encoded_as",
]

DatasetVersion = Annotated[
    str,
    Meta(
        description="The served version of the catalog: when its revision was committed, empty before the first import."
    ),
]
Revision = Annotated[int, Meta(description="The revision of the catalog that the answer was made from.", ge=0)]
Url = Annotated[str, Meta(extra_json_schema={"format": "uri"})]
Next = Annotated[Url | None, Meta(description="Address of the next page; null on the last one.")]
Status = Literal["current", "retired"]


def encoded_as(*components: str) -> Meta:
    """The schema of a member that is spliced in as bytes: one of these components."""
    return Meta(extra_json_schema={"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in components]})


# Already encoded: the whole thing, or with `fields=` a part of it.
RawRecord = Annotated[msgspec.Raw, encoded_as("Record", "RecordSelection")]
RawSummary = Annotated[msgspec.Raw, encoded_as("ErrorSummary", "ErrorSelection")]
RawResult = Annotated[msgspec.Raw, encoded_as("SearchResult", "ErrorSelection")]


class ParameterProblem(Struct, frozen=True, kw_only=True):
    """What is wrong with one parameter, or one member of a body."""

    parameter: Annotated[str, Meta(description="Its name as sent; in a body its path, as in `context.packages[0]`.")]
    code: Literal["unknown", "missing", "repeated", "empty", "invalid"]
    detail: str
    valid: Annotated[list[str] | UnsetType, Meta(description="The names or values that are valid here.")] = UNSET
    nearest: Annotated[str | UnsetType, Meta(description="The valid one that looks most like what was sent.")] = UNSET


class ProblemDetails(Struct, frozen=True, kw_only=True):
    """Problem details of RFC 9457: every answer with a status of 400 or more has this shape."""

    type: Annotated[
        str,
        Meta(
            description="Address of the explanation of this kind of problem.",
            extra_json_schema={"format": "uri-reference"},
        ),
    ]
    title: Annotated[str, Meta(description="The kind of problem in a few words.")]
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: Annotated[str, Meta(description="What is wrong with this request, and what to do.")]
    instance: Annotated[
        str, Meta(description="The path that was asked for.", extra_json_schema={"format": "uri-reference"})
    ]
    code: Annotated[str, Meta(description="The kind of problem, for programs; stable.")]
    errors: Annotated[
        list[ParameterProblem] | UnsetType, Meta(description="One entry for each wrong parameter or member.")
    ] = UNSET


class Answer(Struct, frozen=True, kw_only=True, rename="camel"):
    """What every answer says about itself."""

    dataset_version: DatasetVersion
    revision: Revision


class RootAnswer(Answer, frozen=True, kw_only=True, rename="camel"):
    """What the catalog holds, and where things are."""

    records: Annotated[int, Meta(description="Current records.", ge=0)]
    repositories: Annotated[int, Meta(ge=0)]
    families: Annotated[int, Meta(ge=0)]
    endpoints: Annotated[dict[str, str], Meta(description="Operation id to URI template (RFC 6570).")]
    documentation: Url
    openapi: Url


class ErrorSummary(Struct, frozen=True, kw_only=True, rename="camel"):
    """One record as a line of a list. With `fields=` it has those members alone, be they its own or the record's."""

    id: Annotated[str, Meta(description="16 hexadecimal digits; permanent.")]
    url: Annotated[Url, Meta(description="Its page.")]
    api_url: Annotated[Url, Meta(description="The whole record.")]
    repo: str
    slug: str
    error_code: str | None
    error_message: str
    error_class: str | None
    error_type: str
    severity: str
    http_status: int | None
    handling_strategy: str | None
    background_tag: Annotated[str | None, Meta(description="Its family.")]
    language: Annotated[str | None, Meta(description="Programming language of the file that raises it.")]
    file_path: str
    line_number: int | None
    tags: tuple[str, ...]
    excerpt: Annotated[str, Meta(description="The beginning of its documentation, without markup.")]
    status: Status


class ErrorList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of records by repository and slug."""

    results: list[RawSummary]
    next: Next


class Retirement(Struct, frozen=True, kw_only=True, rename="camel"):
    """Since when and why a record is no longer in its dataset."""

    revision: int
    reason: str
    successor: Annotated[str | None, Meta(description="Id of the record that took its place.")]
    successor_url: Annotated[Url | None, Meta(description="That record in the API.")]


class DatasetRef(Struct, frozen=True, kw_only=True, rename="camel"):
    """The dataset that the shown copy came with."""

    name: str
    version: Annotated[str, Meta(description="The version that the dataset's publisher gave it.")]
    trusted: Annotated[bool, Meta(description="Whether the operator of the site marked the dataset as trusted.")]
    also_in: Annotated[tuple[str, ...], Meta(description="Other datasets that have a copy, the next in rank first.")]


class Repository(Struct, frozen=True, kw_only=True, rename="camel"):
    """One repository."""

    repo: Annotated[str, Meta(description="owner/name")]
    owner: str
    name: str
    url: Annotated[Url, Meta(description="Its page.")]
    api_url: Url
    errors_url: Annotated[Url, Meta(description="Its records.")]
    description: str | None
    language: str | None
    stars: int | None
    source_files: int | None
    default_branch: str | None
    analyzed_sha: str
    analyzed_at: str
    error_count: Annotated[int, Meta(description="Its current records.", ge=0)]
    status: Status


class ErrorMeta(Struct, frozen=True, kw_only=True, rename="camel"):
    """What the catalog knows about a record beyond its fields."""

    url: Annotated[Url, Meta(description="Its page.")]
    short_url: Annotated[Url, Meta(description="Its permanent short address.")]
    api_url: Url
    history_url: Annotated[Url, Meta(description="What changed in it, and when.")]
    markdown_url: Annotated[Url | None, Meta(description="The record as Markdown; null once it is retired.")]
    status: Status
    retired: Retirement | None
    dataset: DatasetRef
    content_hash: str
    first_revision: int
    changed_revision: int
    canonical_id: Annotated[str | None, Meta(description="The record that stands for its group of duplicates.")]
    findings: Annotated[tuple[str, ...], Meta(description="Codes of what the quality checks found.")]
    language: str | None
    code_url: Annotated[Url | UnsetType, Meta(description="Its error code in all repositories.")] = UNSET
    class_url: Annotated[Url | UnsetType, Meta(description="Its error class in all repositories.")] = UNSET
    family_url: Annotated[Url | UnsetType, Meta(description="Its family.")] = UNSET
    repository: Repository


class ErrorAnswer(Answer, frozen=True, kw_only=True, rename="camel"):
    """One record, in the dataset's own field names; a field that its dataset does not have is missing here as well."""

    record: RawRecord
    meta: ErrorMeta


class HighlightPart(Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of a text."""

    text: str
    marked: Annotated[bool, Meta(description="Whether it is a word of the query.")]


class Highlight(Struct, frozen=True, kw_only=True, rename="camel"):
    """Why a record was found: a piece of one field, in parts."""

    field: str
    parts: list[HighlightPart]


class SearchResult(ErrorSummary, frozen=True, kw_only=True, rename="camel"):
    """One record that a search found."""

    score: float
    highlights: list[Highlight]


class FacetCount(Struct, frozen=True, kw_only=True, rename="camel"):
    """How many of the found records have one value."""

    value: str
    count: int
    selected: bool


class QueryNotice(Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of the query that was not understood. ``position`` counts characters from 0."""

    message: str
    position: int | None


class SearchAnswer(Answer, frozen=True, kw_only=True, rename="camel"):
    """Records that fit the words and the filters, the best first, with counts over all of them."""

    count: Annotated[int, Meta(description="All that were found.", ge=0)]
    results: list[RawResult]
    facets: dict[str, list[FacetCount]]
    next: Next
    did_you_mean: Annotated[str | None, Meta(description="A query with words that the catalog knows.")]
    relaxed: Annotated[
        Literal["typo", "some_words"] | None,
        Meta(
            description="Set when no record holds all words as typed: these hold other spellings, or most of the words."
        ),
    ]
    problems: list[QueryNotice]


class RepositoryList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of repositories by name."""

    results: list[Repository]
    next: Next


class RepositoryAnswer(Answer, frozen=True, kw_only=True, rename="camel"):
    """One repository."""

    repository: Repository


class TermEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """A family, code, class or tag, with its counts over current records."""

    kind: Literal["family", "code", "class", "tag"]
    key: Annotated[str, Meta(description="Its part of addresses.")]
    label: Annotated[str, Meta(description="The value as records have it.")]
    url: Annotated[Url, Meta(description="Its page.")]
    api_url: Url
    errors_url: Annotated[Url, Meta(description="Its records.")]
    error_count: Annotated[int, Meta(ge=0)]
    repository_count: Annotated[int, Meta(ge=0)]


class TermList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of families, codes, classes or tags by label."""

    results: list[TermEntry]
    next: Next


class Cause(Struct, frozen=True, kw_only=True, rename="camel"):
    """A common cause."""

    cause: str
    detail: str


class Article(Struct, frozen=True, kw_only=True, rename="camel"):
    """A background article about a family, a code or a class."""

    slug: str
    title: str
    summary: str
    background: str
    common_causes: list[Cause]
    fixes: tuple[str, ...]
    error_ids: tuple[str, ...]
    generated_at: str


class TermAnswer(Answer, frozen=True, kw_only=True, rename="camel"):
    """One family, code, class or tag, with its article when there is one."""

    term: TermEntry
    article: Article | None


class Release(Struct, frozen=True, kw_only=True, rename="camel"):
    """One import of one version of a dataset, with its report."""

    id: int
    url: Annotated[Url, Meta(description="Its page.")]
    api_url: Url
    rejections_url: Url
    dataset: str
    dataset_version: Annotated[str, Meta(description="The version that the dataset's publisher gave it.")]
    source: str
    state: Annotated[str, Meta(description="running, published, unchanged, refused or failed")]
    revision: Annotated[int | None, Meta(description="The revision that it published.")]
    started_at: datetime
    finished_at: datetime | None
    seconds: float | None
    added: int
    changed: int
    unchanged: int
    retired: int
    restored: int
    rejected: int
    warnings: int
    notices: tuple[str, ...]
    unknown_fields: tuple[str, ...]
    problem_counts: Annotated[dict[str, int], Meta(description="Rule to how often it was broken.")]
    error: Annotated[str, Meta(description="Why it was refused or failed; empty otherwise.")]


class ReleaseList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of releases, the newest first."""

    results: list[Release]
    next: Next


class ReleaseAnswer(Answer, frozen=True, kw_only=True, rename="camel"):
    """One release."""

    release: Release


class Rejection(Struct, frozen=True, kw_only=True, rename="camel"):
    """One rule that a record of a source broke."""

    id: int
    origin: Annotated[str, Meta(description="The file it stood in.")]
    position: Annotated[int, Meta(description="Which record of the file, from 0.")]
    record_id: str | None
    repo: str | None
    path: Annotated[str, Meta(description="JSON path of the value.")]
    rule: Annotated[str, Meta(description="Code of the rule.")]
    message: str
    value: Annotated[str, Meta(description="The value, shortened.")]
    raw: Annotated[str, Meta(description="The beginning of the record's text.")]


class RejectionList(Answer, frozen=True, kw_only=True, rename="camel"):
    """A page of a release's rejections in the order of the source."""

    results: list[Rejection]
    next: Next
