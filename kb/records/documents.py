"""The other documents of a dataset: a repository, a background article, the manifest of a published layout.

Unknown fields are kept and given back, as in records. What a document says must have its type; what it leaves out is
None or empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from kb.records.jsonvalues import parse_object
from kb.records.mapping import check_object
from kb.records.problems import Problem, Problems
from kb.records.record import SCHEMA_VERSION
from kb.records.rules import ID, REPO_FIELD, SHA, SLUG, Field, Shape, attribute_of, time_field

__all__ = [
    "ARTICLE_SCHEMA_VERSION",
    "Article",
    "Cause",
    "Counts",
    "Manifest",
    "ManifestFile",
    "RepositoryInfo",
    "decode_article",
    "decode_manifest",
    "decode_repository",
    "encode_article",
    "encode_manifest",
    "encode_repository",
]

ARTICLE_SCHEMA_VERSION = 1
_MANY: Final = 2**53 - 1  # the largest integer that every JSON reader keeps


class _Document(msgspec.Struct, frozen=True, kw_only=True):
    """``absent`` and ``extra`` as in :class:`kb.records.record.Record`."""

    absent: frozenset[str] = frozenset()
    extra: dict[str, Any] = {}


class RepositoryInfo(_Document, frozen=True, kw_only=True):
    """What a dataset says about a repository."""

    repo: str
    description: str | None = None
    language: str | None = None
    stars: int | None = None
    source_files: int | None = None
    default_branch: str | None = None
    analyzed_sha: str | None = None
    analyzed_at: str | None = None
    error_count: int | None = None


class Cause(_Document, frozen=True, kw_only=True):
    """One common cause in an article."""

    cause: str
    detail: str = ""


class Article(_Document, frozen=True, kw_only=True):
    """A background article about errors that share a code, a class or a family (``cluster_key``)."""

    slug: str
    cluster_key: str
    title: str
    summary: str = ""
    background: str = ""
    common_causes: tuple[Cause, ...] = ()
    fixes: tuple[str, ...] = ()
    guide_slugs: tuple[str, ...] = ()
    error_ids: tuple[str, ...] = ()
    error_count: int | None = None
    repo_count: int | None = None
    generated_at: str | None = None
    schema_version: int = ARTICLE_SCHEMA_VERSION


class Counts(_Document, frozen=True, kw_only=True):
    """How much a published layout holds."""

    repos: int
    errors: int
    info_pages: int | None = None


class ManifestFile(_Document, frozen=True, kw_only=True):
    """One file of a layout: ``path`` starts with ``/data/``; the raw values are those of the unpacked file."""

    path: str
    bytes: int
    sha256: str
    encoding: str | None = None
    raw_bytes: int | None = None
    raw_sha256: str | None = None


class Manifest(_Document, frozen=True, kw_only=True):
    """The manifest of a published layout; ``files`` by name."""

    schema_version: int = SCHEMA_VERSION
    dataset_version: str
    counts: Counts
    files: dict[str, ManifestFile] = {}

    @property
    def repos(self) -> int:
        """The number of repositories."""
        return self.counts.repos

    @property
    def errors(self) -> int:
        """The number of records."""
        return self.counts.errors

    @property
    def info_pages(self) -> int | None:
        """The number of articles; None when the manifest does not count them."""
        return self.counts.info_pages


# --- tables -----------------------------------------------------------------------------------------------------------


def _count(name: str, about: str, **rules: Any) -> Field:
    return Field(name=name, kind="integer", about=about, minimum=0, maximum=_MANY, **rules)


def _text(name: str, about: str, **rules: Any) -> Field:
    return Field(name=name, kind="string", about=about, **rules)


def _texts(name: str, about: str, **rules: Any) -> Field:
    return Field(name=name, kind="strings", about=about, **rules)


def _version(number: int) -> Field:
    about = "The version of this document's contract."
    return Field(name="schemaVersion", kind="integer", about=about, required=True, minimum=number, maximum=number)


_REPOSITORY: Final = (
    REPO_FIELD,
    _text("description", "What it is.", nullable=True),
    _text("language", "Its main language.", nullable=True, max_length=255),
    _count("stars", "Its stars.", nullable=True),
    _count("sourceFiles", "How many files were analyzed.", nullable=True),
    _text("defaultBranch", "Its default branch.", nullable=True, max_length=255),
    _text("analyzedSha", "The commit that was analyzed.", nullable=True, pattern=SHA),
    time_field("analyzedAt", "When it was analyzed.", nullable=True),
    _count("errorCount", "How many records it has.", nullable=True),
)
_CAUSE: Final = (_text("cause", "The cause.", required=True), _text("detail", "More about it."))
_ARTICLE: Final = (
    _version(ARTICLE_SCHEMA_VERSION),
    _text("slug", "The name in URLs.", required=True, pattern=SLUG, max_length=255),
    _text("clusterKey", "code:…, class:… or a family.", required=True, filled=True, max_length=1000),
    _text("title", "The title.", required=True, filled=True),
    _text("summary", "The article in a few sentences."),
    _text("background", "The article; Markdown."),
    Field(name="commonCauses", kind="objects", about="What causes it.", shape=Shape(fields=_CAUSE, make=Cause)),
    _texts("fixes", "What helps."),
    _texts("guideSlugs", "Related guides."),
    _texts("errorIds", "The records it is about.", pattern=ID),
    _count("errorCount", "How many records it is about.", nullable=True),
    _count("repoCount", "How many repositories they are in.", nullable=True),
    time_field("generatedAt", "When it was written.", nullable=True),
)
_COUNTS: Final = (
    _count("repos", "Repositories.", required=True),
    _count("errors", "Records.", required=True),
    _count("infoPages", "Articles.", nullable=True),
)
_FILE: Final = (
    _text(
        "path",
        "Where the file is, below /data/.",
        required=True,
        pattern=r"/data/(?!(?:.*/)?\.{1,2}(?:/|$))(?!/)(?!.*//)[^\x00-\x1f\x7f\\%?#]+",
        pattern_code="unsafe_path",
        pattern_message="A path in a manifest must start with /data/ and have no '..' segment, backslash, %, ? or #.",
        max_length=1000,
    ),
    _count("bytes", "Its size.", required=True),
    _text("sha256", "The SHA-256 of the file.", required=True, pattern=r"[0-9a-f]{64}"),
    _text("encoding", "How it is compressed.", nullable=True),
    _count("rawBytes", "Its size when unpacked.", nullable=True),
    _text("rawSha256", "The SHA-256 of the unpacked file.", nullable=True, pattern=r"[0-9a-f]{64}"),
)
_MANIFEST: Final = (
    _version(SCHEMA_VERSION),
    time_field("datasetVersion", "The version of the dataset: a time that only grows.", required=True),
    Field(
        name="counts",
        kind="object",
        about="How much there is.",
        required=True,
        shape=Shape(fields=_COUNTS, make=Counts),
    ),
    Field(name="files", kind="map", about="The files by name.", shape=Shape(fields=_FILE, make=ManifestFile)),
)

# --- in and out -------------------------------------------------------------------------------------------------------

_D = TypeVar("_D", bound=_Document)
_Answer = tuple[_D | None, tuple[Problem, ...]]


def decode_repository(raw: bytes | Mapping[str, Any], *, origin: str = "") -> _Answer[RepositoryInfo]:
    """Read a repository document; None with the problems when a rule is broken. Never raises on bad data."""
    return _decode(RepositoryInfo, _REPOSITORY, raw, origin)


def decode_article(raw: bytes | Mapping[str, Any], *, origin: str = "") -> _Answer[Article]:
    """Read a background article (schema version 1), likewise."""
    return _decode(Article, _ARTICLE, raw, origin)


def decode_manifest(raw: bytes | Mapping[str, Any], *, origin: str = "") -> _Answer[Manifest]:
    """Read a manifest (schema version 2), likewise."""
    return _decode(Manifest, _MANIFEST, raw, origin)


def encode_repository(info: RepositoryInfo) -> dict[str, Any]:
    """The document under the dataset's field names; the exact inverse of decoding."""
    return _encode(info, _REPOSITORY)


def encode_article(article: Article) -> dict[str, Any]:
    """The document under the dataset's field names; the exact inverse of decoding."""
    return _encode(article, _ARTICLE)


def encode_manifest(manifest: Manifest) -> dict[str, Any]:
    """The document under the dataset's field names; the exact inverse of decoding."""
    return _encode(manifest, _MANIFEST)


def _decode(make: type[_D], fields: tuple[Field, ...], raw: bytes | Mapping[str, Any], origin: str) -> _Answer[_D]:
    problems = Problems(origin=origin)
    mapping = raw if isinstance(raw, Mapping) else parse_object(raw, problems)
    if mapping is None:
        return None, problems.found()
    checked = check_object(fields, mapping, problems)
    if problems.rejected:
        return None, problems.found()
    return make(**checked.values, absent=checked.absent, extra=checked.extra), problems.found()


def _encode(document: Any, fields: tuple[Field, ...]) -> dict[str, Any]:
    known = {
        field.name: _encode_value(getattr(document, attribute_of(field.name)), field)
        for field in fields
        if field.name not in document.absent
    }
    return {**known, **document.extra}


def _encode_value(value: Any, field: Field) -> Any:
    if field.shape is None:
        return list(value) if isinstance(value, tuple) else value
    shape = field.shape
    if isinstance(value, Mapping):
        return {name: _encode(item, shape.fields) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_encode(item, shape.fields) for item in value]
    return _encode(value, shape.fields)
