"""The published layout: repositories first, then the index, then the manifest, which has the hash of every file.

Every document is written as it is read, one element on a line, so that memory does not grow with the catalog and two
exports can be compared line by line.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO

import msgspec

from kb.catalog.queries import ExportRecord
from kb.imports.export.contents import Contents
from kb.imports.export.options import ExportReport
from kb.imports.export.packing import ArrayWriter, CountingWriter, copy_stream, packed
from kb.imports.export.shards import SUMMARY, write_shards
from kb.imports.export.sinks import Sink
from kb.imports.progress import ProgressReporter
from kb.imports.refusals import Refusal
from kb.records.documents import Counts, Manifest, ManifestFile, encode_manifest, encode_repository
from kb.records.record import SCHEMA_VERSION

__all__ = ["DATA_ROOT", "LayoutWriter"]

DATA_ROOT = "/data/"
"""Where manifests say that their files are."""

_encode = msgspec.json.Encoder().encode
_UNPACKED = frozenset({"encoding", "rawBytes", "rawSha256"})
_ARTICLE_LINE = (
    "slug", "clusterKey", "title", "summary", "errorCount", "repoCount", "generatedAt", "schemaVersion",
)  # fmt: skip


class LayoutWriter:
    """Writes one layout into a sink.

    ``workspace`` takes nameless files meanwhile. What was written is counted in ``report``. ``served_at`` is for a
    server: what the manifest's paths begin with, since it keeps several revisions. Search shards are written then, too,
    and names may differ in case only, since this machine's disk is all that has to hold them.
    """

    def __init__(self, sink: Sink, workspace: Path, report: ExportReport, *, served_at: str = "") -> None:
        self._sink = sink
        self._workspace = workspace
        self._report = report
        self._root = served_at or DATA_ROOT
        self._served = bool(served_at)
        self._files: dict[str, ManifestFile] = {}

    def write(self, contents: Contents, progress: ProgressReporter) -> None:
        """Writes everything. Raises ``Refusal`` when the contents do not fit into a layout."""
        with tempfile.TemporaryFile(dir=self._workspace) as index:
            counts = self._records(contents, index, progress)
            self._index(index)
            if self._served:
                write_shards(_lines_of(index), self._shard)
        self._articles(contents)
        self._repositories(contents, counts)
        self._manifest(contents)

    # -- records -----------------------------------------------------------------------------------------------------

    def _records(self, contents: Contents, index: IO[bytes], progress: ProgressReporter) -> dict[str, int]:
        """Writes the file of each repository, and all records' lines of the index; how many each repository has."""
        counts: dict[str, int] = {}
        folded: dict[str, str] = {}
        head = _encode({"schemaVersion": SCHEMA_VERSION, "datasetVersion": contents.version})
        lines = ArrayWriter(index, before=head[:-1] + b',"errors":', after=b"}")
        for repo, records in groupby(contents.records(), attrgetter("repo")):
            twin = folded.setdefault(repo.casefold(), repo)
            if twin != repo and not self._served:
                message = f"{twin} and {repo} differ in case only, which files cannot; export them as JSON Lines"
                raise Refusal("case_collision", "", message)
            with self._file(f"repos/{repo}", f"repos/{repo}.json") as file:
                rows = ArrayWriter(file)
                for record in records:
                    rows.add(record.raw)
                    lines.add(_index_line(record))
                rows.close()
            counts[repo] = rows.count
            self._report.records += rows.count
            progress.advance(rows.count)
        lines.close()
        self._report.repositories = len(counts)
        return counts

    def _index(self, index: IO[bytes]) -> None:
        """The index as it is, which the manifest names as such, and compressed beside it (decisions 20)."""
        with self._file("index", "index.json") as file:
            copy_stream(index, file)
        raw = self._files["index"]
        with self._file("index.gz", "index.json.gz") as file, packed(file, "gzip") as compressed:
            copy_stream(index, compressed)
        self._files["index.gz"] = msgspec.structs.replace(
            self._files["index.gz"],
            absent=frozenset(),
            encoding="gzip",
            raw_bytes=raw.bytes,
            raw_sha256=raw.sha256,
        )

    def _shard(self, path: str) -> AbstractContextManager[CountingWriter]:
        return self._file("searchSummary" if path == SUMMARY else path.removesuffix(".json"), path)

    # -- the other documents -----------------------------------------------------------------------------------------

    def _articles(self, contents: Contents) -> None:
        if contents.repositories:
            return
        with tempfile.TemporaryFile(dir=self._workspace) as listing:
            lines = ArrayWriter(listing)
            for article in contents.articles():
                # No article may stand where the list of them does; an underscore is in no slug.
                name = article.slug if article.slug != "index" else "_index"
                with self._file(f"info/{name}", f"info/{name}.json") as file:
                    file.write(article.raw + b"\n")
                whole = msgspec.json.decode(article.raw)
                lines.add(_encode({key: whole[key] for key in _ARTICLE_LINE if key in whole}))
            lines.close()
            self._report.articles = lines.count
            with self._file("info/index", "info/index.json") as file:
                copy_stream(listing, file)

    def _repositories(self, contents: Contents, counts: dict[str, int]) -> None:
        with self._file("repos", "repos.json") as file:
            rows = ArrayWriter(file)
            for info in contents.described(list(counts)):
                rows.add(_encode(encode_repository(msgspec.structs.replace(info, error_count=counts[info.repo]))))
            rows.close()

    def _manifest(self, contents: Contents) -> None:
        """The manifest, last: whoever sees it finds all that it names."""
        counts = Counts(
            repos=self._report.repositories,
            errors=self._report.records,
            info_pages=self._report.articles,
            absent=frozenset({"infoPages"} if contents.repositories else ()),
        )
        manifest = Manifest(dataset_version=contents.version, counts=counts, files=self._files)
        with self._sink.file("manifest.json") as file:
            file.write(msgspec.json.format(_encode(encode_manifest(manifest)), indent=1) + b"\n")
            self._count(file)

    @contextmanager
    def _file(self, name: str, path: str) -> Iterator[CountingWriter]:
        """A file that the manifest calls ``name``."""
        with self._sink.file(path) as file:
            yield file
            self._files[name] = ManifestFile(
                path=self._root + path, bytes=file.size, sha256=file.sha256, absent=_UNPACKED
            )
            self._count(file)

    def _count(self, file: CountingWriter) -> None:
        self._report.files += 1
        self._report.size += file.size


def _lines_of(index: IO[bytes]) -> Iterator[bytes]:
    """The elements of the index, each of which has a line between the first and the last one."""
    index.seek(0)
    index.readline()
    for line in index:
        if not line.startswith(b"]"):
            yield line.rstrip(b",\n")


def _index_line(record: ExportRecord) -> bytes:
    return _encode(
        {
            "id": record.id,
            "repo": record.repo,
            "slug": record.slug,
            "code": record.code,
            "msg": record.message,
            "pattern": record.pattern,
            "type": record.type,
            "cls": record.cls,
            "tags": msgspec.Raw(record.tags),
            "sev": record.severity,
        }
    )
