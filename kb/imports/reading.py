"""Sources into staging: every record is decoded, validated, hashed and compared with what the dataset holds.

The first records are read here; from a number on that is worth it, other processes do that work.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from kb.catalog.held import iter_held_hashes
from kb.catalog.registry import DatasetRow, RejectionValues, held_hashes
from kb.imports.options import ImportOptions
from kb.imports.parallel import Crew
from kb.imports.preparing import MAKER, Held, Outcome, decode_outcomes, encode_raws, prepare_here
from kb.imports.progress import ProgressReporter
from kb.imports.recognized import Known, Notes, Recognized, raw_digest
from kb.imports.refusals import Refusal
from kb.imports.sources.documents import Fault, RawArticle, RawRecord, RawRepository, Source, SourceItem
from kb.imports.staging import Staged, Staging
from kb.processes import cores
from kb.records.documents import Article, RepositoryInfo, decode_article, decode_repository
from kb.records.problems import Problem, make_problem

__all__ = ["Intake"]

_BATCH = 500  # records
_BATCH_BYTES = 4 * 1024 * 1024
_FEW = 2_000  # records; other processes take as long to start
_RAW_KEPT = 4000
_REJECTIONS_KEPT = 10_000
_WARNINGS_TOLD = 5  # one of each kind
_INDEX = re.compile(r"\[\d+\]")


@dataclass
class Batch:
    """Some records and faults as they came."""

    items: list[RawRecord | Fault] = field(default_factory=list)
    size: int = 0
    digests: dict[int, tuple[int, bytes]] = field(default_factory=dict)  # by identity of the item: place and digest

    @property
    def raws(self) -> list[bytes]:
        """The bytes of the records."""
        return [item.raw for item in self.items if isinstance(item, RawRecord)]


class _Batches:
    """The records and faults of a source, some at a time; other documents go to ``take``.

    A refusal of the source waits in ``refusal``, until what came before it has been dealt with.
    """

    def __init__(self, items: Iterator[SourceItem], take: Callable[[RawRepository | RawArticle], None]) -> None:
        self._items, self._take = items, take
        self.refusal: Refusal | None = None
        self.ended = False

    def __iter__(self) -> Iterator[Batch]:
        batch = Batch()
        try:
            for item in self._items:
                if isinstance(item, RawRepository | RawArticle):
                    self._take(item)
                    continue
                batch.items.append(item)
                batch.size += len(item.raw)
                if len(batch.items) >= _BATCH or batch.size >= _BATCH_BYTES:
                    yield batch
                    batch = Batch()
        except Refusal as refusal:
            self.refusal = refusal
        self.ended = True
        if batch.items:
            yield batch


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
    recognized: Recognized = field(default_factory=Recognized)
    notes: Notes | None = None  # where sound records are noted for the next reading
    _read_here: int = 0
    _items: int = 0
    _all_held: Held | None = None
    _kinds_told: set[tuple[str, str]] = field(default_factory=set)

    def read(self, source: Source) -> None:
        """Reads one source to its end. Raises ``Refusal``."""
        batches = _Batches(source.read(), self._take_document)
        unknown = self._unrecognized(batches)
        for batch in unknown:
            self._settle(batch, prepare_here(batch.raws, self._held))
            self._read_here += len(batch.items)
            if self._read_here >= _FEW and cores() > 1:
                break
        if not batches.ended:
            with Crew(MAKER, self._whole().to_bytes()) as crew:
                for batch, answer in crew.run((batch, encode_raws(batch.raws)) for batch in unknown):
                    self._settle(batch, decode_outcomes(answer))
        if batches.refusal is not None:
            raise batches.refusal

    def _whole(self) -> Held:
        """All that the dataset holds, looked up once."""
        if self._all_held is None:
            self._all_held = Held.of(iter_held_hashes(self.dataset.pk))
        return self._all_held

    def _unrecognized(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The batches without the records whose bytes are recognized; those are counted here."""
        for batch in batches:
            if self.recognized or self.notes is not None:
                batch.digests = {
                    id(item): (self._items + place, raw_digest(item.raw, item.repo))
                    for place, item in enumerate(batch.items)
                    if isinstance(item, RawRecord)
                }
            self._items += len(batch.items)
            rest = self._without_recognized(batch) if self.recognized else batch
            if rest.items:
                yield rest

    def _without_recognized(self, batch: Batch) -> Batch:
        held, found = self._whole(), {}
        for key, (_, digest) in batch.digests.items():
            known = self.recognized.find(digest)
            if known is not None and held.has(known.id, known.content_hash):
                found[key] = known
        rows = [(known.id, batch.digests[key][0]) for key, known in found.items()]
        if not found or not self.staging.add_recognized(rows):
            return batch
        for key, known in found.items():
            self.warnings += len(known.codes)
            self.problem_counts.update(known.codes)
            self._note(batch.digests[key][1], known)
        self.seen += len(found)
        self.unknown_fields.update(self.recognized.unknown)
        self.progress.advance(len(found))
        batch.items = [item for item in batch.items if id(item) not in found]
        return batch

    def _note(self, digest: bytes, known: Known) -> None:
        if self.notes is not None:
            self.notes.note(digest, known)

    def _held(self, ids: Sequence[str]) -> dict[str, str]:
        return held_hashes(self.dataset, ids)

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

    def _settle(self, batch: Batch, outcomes: Sequence[Outcome]) -> None:
        """Stages or rejects the records of a batch, in order."""
        made = iter(outcomes)
        sound: list[tuple[RawRecord, Staged]] = []
        for item in batch.items:
            self.seen += 1
            if isinstance(item, Fault):
                problem = make_problem(item.code, item.message, origin=item.origin)
                self.reject(item.raw, [problem], record_id=None, repo=None)
            else:
                sound += self._settle_record(item, next(made), batch)
        self._stage(sound, batch)
        self.progress.advance(len(batch.items))

    def _settle_record(self, item: RawRecord, outcome: Outcome, batch: Batch) -> list[tuple[RawRecord, Staged]]:
        """The record as it is to wait; none when it was rejected."""
        self.unknown_fields.update(outcome.unknown)
        problems = [
            msgspec.structs.replace(problem, origin=item.origin, position=item.position) for problem in outcome.problems
        ]
        for problem in problems:
            if problem.code == "unsupported_schema_version":
                raise Refusal(
                    problem.code, problem.origin, f"{problem.path}: {problem.message} {problem.value}".strip()
                )
        if item.repo and outcome.repo and outcome.repo != item.repo:
            message = f"the record names {outcome.repo}, but stands in the file of {item.repo}"
            problems.append(
                make_problem("repo_mismatch", message, origin=item.origin, path="$.repo", value=outcome.repo)
            )
        errors = [problem for problem in problems if problem.severity == "error"]
        if errors or not outcome.digest:
            self.reject(item.raw, errors, record_id=outcome.id, repo=item.repo or outcome.repo)
            return []
        self._warn(problems)
        if id(item) in batch.digests:
            codes = tuple(problem.code for problem in problems)
            self._note(batch.digests[id(item)][1], Known(outcome.id or "", outcome.digest, codes))
        keys = (outcome.id or "", outcome.repo or "", outcome.slug, outcome.digest)
        return [(item, Staged(*keys, item.origin, item.position, outcome.values, outcome.packed))]

    def _take_document(self, item: RawRepository | RawArticle) -> None:
        if isinstance(item, RawRepository):
            self._take_repository(item)
        else:
            self._take_article(item)

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
        if not found:
            return
        self.warnings += len(found)
        for row in found:
            kind = (row.code, _INDEX.sub("[]", row.path))
            if kind not in self._kinds_told and len(self._kinds_told) < _WARNINGS_TOLD:
                self._kinds_told.add(kind)
                self.warnings_told.append(f"{row.origin}: {row.path}: {row.message}")
        self.problem_counts.update(problem.code for problem in found)

    # -- staging ---------------------------------------------------------------------------------------------------

    def _stage(self, sound: Sequence[tuple[RawRecord, Staged]], batch: Batch) -> None:
        rows = [row for _, row in sound]
        if not self.staging.clash(rows):
            self.staging.add_all(rows)
            return
        for item, row in sound:
            if not self.staging.add(row):
                self._stage_again(item, row, batch)

    def _stage_again(self, item: RawRecord, row: Staged, batch: Batch) -> None:
        """Stages a record whose id or slug waits already, or rejects it."""
        owner = self.staging.owner_of(row.repo, row.slug)
        if owner is not None and owner != row.id:
            message = f"{row.repo}/{row.slug} already belongs to {owner} ({self.staging.origin_of(owner)})"
            problem = make_problem("slug_taken", message, origin=item.origin, path="$.slug", value=row.slug)
            self.reject(item.raw, [problem], record_id=row.id, repo=row.repo)
            return
        other = self.staging.recognized_at(row.id)
        if other is not None and other > batch.digests[id(item)][0]:
            message = f"{row.id} occurs again later, where it is as it is held; that one stands"
        else:
            replaced = self.staging.origin_of(row.id) or "the one that is held"
            message = f"{row.id} occurs again; this one replaces {replaced}"
            self.staging.forget_recognized(row.id)
            self.staging.replace(row)
        self._warn([make_problem("repeated_id", message, origin=item.origin, path="$.id", value=row.id)])


def _values(problem: Problem, raw: bytes, record_id: str | None, repo: str | None) -> RejectionValues:
    return (
        problem.origin, problem.position, record_id, repo,
        problem.path, problem.code, problem.message, problem.value, raw,
    )  # fmt: skip
