"""Sources into staging: every record is decoded, validated, hashed and compared with what the dataset holds."""

from __future__ import annotations

import collections
from collections.abc import Iterable
from dataclasses import dataclass, field

from kb.catalog.registry import DatasetRow, RejectionValues, held_hashes
from kb.imports.documents import Fault, RawArticle, RawRecord, RawRepository, Source, SourceItem
from kb.imports.options import ImportOptions
from kb.imports.progress import ProgressReporter
from kb.imports.refusals import Refusal
from kb.imports.staging import Staged, Staging
from kb.records.decode import decode_record
from kb.records.documents import Article, RepositoryInfo, decode_article, decode_repository
from kb.records.encode import encode_json
from kb.records.hashing import content_hash
from kb.records.problems import Problem, make_problem
from kb.records.record import Record

__all__ = ["Intake"]

_BATCH = 500
_RAW_KEPT = 4000
_REJECTIONS_KEPT = 10_000
_WARNINGS_TOLD = 5


@dataclass
class Intake:
    """Reads sources into staging and keeps what there is to report.

    ``rejected`` counts records; ``rejections`` has a row for each of their problems, up to a bound.
    """

    dataset: DatasetRow
    staging: Staging
    options: ImportOptions
    progress: ProgressReporter
    rejected: int = 0
    warnings: int = 0
    warnings_told: list[str] = field(default_factory=list)
    seen: int = 0
    problem_counts: collections.Counter[str] = field(default_factory=collections.Counter)
    rejections: list[RejectionValues] = field(default_factory=list)
    unknown_fields: set[str] = field(default_factory=set)
    repositories: dict[str, RepositoryInfo] = field(default_factory=dict)
    articles: dict[str, Article] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def read(self, source: Source) -> None:
        """Reads one source to its end. Raises ``Refusal``."""
        waiting: list[tuple[RawRecord, Record]] = []
        for item in source.read():
            record = self._take(item)
            if record is not None and isinstance(item, RawRecord):
                waiting.append((item, record))
            if len(waiting) >= _BATCH:
                self._stage(waiting)
                waiting = []
        self._stage(waiting)

    def reject(self, raw: bytes, problems: Iterable[Problem], *, record_id: str | None, repo: str | None) -> None:
        """Counts a rejected record and keeps its problems. Raises ``Refusal`` when there are too many."""
        problems = list(problems)
        self.rejected += 1
        self.problem_counts.update({problem.code for problem in problems})
        for problem in problems:
            if len(self.rejections) < _REJECTIONS_KEPT:
                self.rejections.append(_values(problem, raw[:_RAW_KEPT], record_id, repo))
        if record_id:
            self.staging.note_present(record_id)
        else:
            self.staging.note_unsure(repo or "")
        first = problems[0]
        if self.options.strict:
            raise Refusal(first.code, first.origin, f"{first.path}: {first.message} {first.value} (--strict)".strip())
        if self.rejected > self.options.max_rejects:
            message = f"more than {self.options.max_rejects:,} records are rejected (--max-rejects)"
            raise Refusal("too_many_rejections", first.origin, message)

    # -- one item --------------------------------------------------------------------------------------------------

    def _take(self, item: SourceItem) -> Record | None:
        if isinstance(item, RawRecord):
            return self._take_record(item)
        if isinstance(item, Fault):
            self.seen += 1
            problem = make_problem(item.code, item.message, origin=item.origin)
            self.reject(item.raw, [problem], record_id=None, repo=None)
        elif isinstance(item, RawRepository):
            self._take_repository(item)
        else:
            self._take_article(item)
        return None

    def _take_record(self, item: RawRecord) -> Record | None:
        self.seen += 1
        decoded = decode_record(item.raw, origin=item.origin, position=item.position)
        for problem in decoded.problems:
            if problem.code == "unsupported_schema_version":
                raise Refusal(
                    problem.code, problem.origin, f"{problem.path}: {problem.message} {problem.value}".strip()
                )
        self.unknown_fields |= decoded.unknown
        problems = list(decoded.problems)
        if item.repo and decoded.repo and decoded.repo != item.repo:
            message = f"the record names {decoded.repo}, but stands in the file of {item.repo}"
            problems.append(
                make_problem("repo_mismatch", message, origin=item.origin, path="$.repo", value=decoded.repo)
            )
        if decoded.record is None or any(problem.severity == "error" for problem in problems):
            errors = [problem for problem in problems if problem.severity == "error"]
            self.reject(item.raw, errors, record_id=decoded.id, repo=item.repo or decoded.repo)
            return None
        self._warn(problems)
        return decoded.record

    def _take_repository(self, item: RawRepository) -> None:
        info, problems = decode_repository(item.raw, origin=item.origin)
        if info is None:
            raise Refusal.of(problems)
        self._warn(problems)
        self.repositories[info.repo] = info

    def _take_article(self, item: RawArticle) -> None:
        article, problems = decode_article(item.raw, origin=item.origin)
        if article is None:
            first = Refusal.of(problems)
            self.notices.append(f"The article is left out: {first}")
            self.problem_counts[first.code] += 1
            return
        self._warn(problems)
        self.articles[article.slug] = article

    def _warn(self, problems: Iterable[Problem]) -> None:
        found = [problem for problem in problems if problem.severity == "warning"]
        self.warnings += len(found)
        room = _WARNINGS_TOLD - len(self.warnings_told)
        self.warnings_told += [f"{row.origin}: {row.path}: {row.message}" for row in found[:room]]
        self.problem_counts.update(problem.code for problem in found)

    # -- staging ---------------------------------------------------------------------------------------------------

    def _stage(self, waiting: list[tuple[RawRecord, Record]]) -> None:
        held = held_hashes(self.dataset, [record.id for _, record in waiting])
        for item, record in waiting:
            digest = content_hash(record)
            row = Staged(
                id=record.id,
                repo=record.repo,
                slug=record.slug,
                content_hash=digest,
                origin=item.origin,
                position=item.position,
                content=None if held.get(record.id) == digest else encode_json(record),
            )
            if not self.staging.add(row):
                self._stage_again(item, row)
        self.progress.advance(len(waiting))

    def _stage_again(self, item: RawRecord, row: Staged) -> None:
        """Stages a record whose id or slug waits already, or rejects it."""
        owner = self.staging.owner_of(row.repo, row.slug)
        if owner is not None and owner != row.id:
            message = f"{row.repo}/{row.slug} already belongs to {owner} ({self.staging.origin_of(owner)})"
            problem = make_problem("slug_taken", message, origin=item.origin, path="$.slug", value=row.slug)
            self.reject(item.raw, [problem], record_id=row.id, repo=row.repo)
            return
        message = f"{row.id} occurs again; this one replaces {self.staging.origin_of(row.id)}"
        self._warn([make_problem("repeated_id", message, origin=item.origin, path="$.id", value=row.id)])
        self.staging.replace(row)


def _values(problem: Problem, raw: bytes, record_id: str | None, repo: str | None) -> RejectionValues:
    return (
        problem.origin, problem.position, record_id, repo,
        problem.path, problem.code, problem.message, problem.value, raw,
    )  # fmt: skip
