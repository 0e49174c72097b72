"""The import, stage by stage: read into staging, settle what is gone and who may have which slug, publish, index.

The only caller of :mod:`kb.catalog.publish`. For a reader there is one switch: the index of the next revision is in
place before the transaction commits, and is taken away again when it does not.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.utils import DatabaseError

from kb.catalog import queries
from kb.catalog.publish import Arrival, Publication
from kb.catalog.registry import fail_stale_releases, held_by
from kb.imports.diff import find_gone
from kb.imports.ledger import Ledger
from kb.imports.lock import import_lock
from kb.imports.options import ImportOptions, ImportReport, Sample
from kb.imports.outcomes import INTERRUPTED, ending, forget_changes
from kb.imports.progress import NoProgress, ProgressReporter
from kb.imports.reading import Intake
from kb.imports.refusals import Refusal
from kb.imports.slugs import Claim, refused_claims
from kb.imports.sources import open_source
from kb.imports.staging import Staged, Staging
from kb.imports.streams import shown_name
from kb.imports.upkeep import settle
from kb.matching.index import revisions as match_index
from kb.records.decode import decode_record
from kb.records.problems import make_problem
from kb.records.record import Record
from kb.search import index as search_index

__all__ = ["run_import"]

log = logging.getLogger(__name__)
_BATCH = 400
_SHOWN_REJECTIONS = 50


def run_import(
    sources: Sequence[str | Path], options: ImportOptions, *, progress: ProgressReporter | None = None
) -> ImportReport:
    """Imports the sources as one release of one dataset, and says what came of it.

    Never raises, whatever is wrong with a source, with the lock, the disk or the database, and not when it is
    interrupted: the report's ``outcome`` is then ``refused`` or ``failed``, its ``error`` says why, and the catalog is
    what it was before.
    """
    report = ImportReport(dataset=options.dataset)
    progress = progress or NoProgress()
    started = time.monotonic()
    with ending(report), import_lock():
        _run([str(source) for source in sources], options, report, progress)
    if options.dry_run:
        report.release = None
    with suppress(OSError, ValueError):  # the terminal is gone
        progress.close()
    report.seconds = time.monotonic() - started
    return report


def _run(names: Sequence[str], options: ImportOptions, report: ImportReport, progress: ProgressReporter) -> None:
    """The import while the lock is held. A dry run is a whole one that is rolled back."""
    if not options.dry_run:
        _import(names, options, report, progress)
        return
    with transaction.atomic():
        _import(names, options, report, progress)
        transaction.set_rollback(True)
    report.outcome, report.revision = "dry-run", queries.state().revision


def _import(names: Sequence[str], options: ImportOptions, report: ImportReport, progress: ProgressReporter) -> None:
    fail_stale_releases()
    ledger = Ledger([shown_name(name) for name in names], options)
    report.release = ledger.release.pk
    with _staging() as staging:
        intake = Intake(ledger.dataset, staging, options, progress)
        stages = _Stages(options=options, report=report, progress=progress, intake=intake, ledger=ledger)
        try:
            stages.read(names)
            stages.publish()
        except KeyboardInterrupt:
            if not _is_done(ledger.release.pk):
                forget_changes(report)
                stages.note_failure(KeyboardInterrupt(INTERRUPTED))
                raise
        except BaseException as error:
            forget_changes(report)
            stages.note_failure(error)
            raise
    if not options.dry_run:
        settle(report)


def _is_done(release_id: int) -> bool:
    """Whether the release was committed before the interruption came: then it stands."""
    release = queries.release(release_id)
    return release is not None and release.state in {"published", "unchanged"}


@contextmanager
def _staging() -> Iterator[Staging]:
    """A waiting room in the spool; what killed imports left there is removed, since the lock is ours."""
    spool = Path(settings.KB_DATA_DIR) / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    for stale in spool.glob("import-*.sqlite3*"):
        stale.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(prefix="import-", suffix=".sqlite3", dir=spool)
    os.close(handle)
    try:
        with Staging(Path(name)) as staging:
            yield staging
    finally:
        with suppress(OSError):  # the next import removes it
            Path(name).unlink(missing_ok=True)


@dataclass(kw_only=True)
class _Stages:
    """The stages of one import, with what they share."""

    options: ImportOptions
    report: ImportReport
    progress: ProgressReporter
    intake: Intake
    ledger: Ledger
    complete: bool = False
    started: float = field(default_factory=time.monotonic)

    def read(self, names: Sequence[str]) -> None:
        """Every source into staging. Raises ``Refusal``."""
        sources = [open_source(name) for name in names]
        for source in sources:
            self.progress.phase(f"Reading {source.name}", source.expected)
            self.intake.read(source)
            self.report.dataset_version = max(self.report.dataset_version, source.version)
        shaped = all(source.complete for source in sources)
        self.complete = shaped if self.options.complete is None else self.options.complete

    def publish(self) -> None:
        """Staging into the next revision, in one transaction with its indexes in place before the commit."""
        prepared: list[search_index.Prepared | match_index.Prepared] = []
        try:
            with transaction.atomic():
                publication = Publication(
                    dataset=self.ledger.dataset, release=self.ledger.release, priority=self.options.priority
                )
                self._write(publication)
                changed = publication.finish()
                if changed and not self.options.dry_run:
                    self.progress.phase("Indexing", publication.tally.total)
                    self._index(publication, prepared)
                self._fill_report(publication, changed=changed)
                state = "published" if changed else "unchanged"
                self.report.outcome = "published" if changed else "unchanged"
                self.ledger.close(self.report, state=state, rejections=self.intake.rejections)
        except BaseException:
            for index in prepared:
                index.discard()
            raise

    def note_failure(self, error: BaseException) -> None:
        """Writes down that the import did not happen, where that can still be written."""
        self._fill_from_intake()
        self.report.error = str(error) or type(error).__name__
        state = "refused" if isinstance(error, Refusal) else "failed"
        if self.options.dry_run:
            return
        try:
            with transaction.atomic():
                self.ledger.close(self.report, state=state, rejections=self.intake.rejections)
        except DatabaseError:
            log.warning("the outcome of release %s could not be written down", self.ledger.release.pk)

    # -- writing ---------------------------------------------------------------------------------------------------

    def _write(self, publication: Publication) -> None:
        intake, staging = self.intake, self.intake.staging
        publication.put_repositories(list(intake.repositories.values()))
        publication.put_articles(list(intake.articles.values()), complete=self.complete)
        gone = self._gone()
        self._refuse_claims(publication, gone)
        counts = staging.counts()
        self.report.unchanged = counts["known"]
        self.progress.phase("Publishing", counts["new"] + len(gone))
        for batch in _batches(gone):
            publication.depart(batch)
            self.progress.advance(len(batch))
        for claims in staging.new_claims(_BATCH):
            shown = publication.shown([record_id for record_id, _, _ in claims])
            publication.leave_slugs({record_id: (repo, slug) for record_id, repo, slug in claims if record_id in shown})
        for rows in staging.new(_BATCH):
            publication.arrive([Arrival(record=_record(row), content_hash=row.content_hash) for row in rows])
            self.progress.advance(len(rows))
        publication.come_forward()
        publication.rank_again()
        source = self.ledger.release.source
        publication.put_dataset(version=self.report.dataset_version, complete=self.complete, source=source)

    def _gone(self) -> list[str]:
        """The ids that the dataset no longer has. Nothing is gone unless the source is complete."""
        if not self.complete:
            return []
        unsure = self.intake.staging.unsure()
        if unsure:
            where = "any repository" if "" in unsure else ", ".join(sorted(unsure)[:10])
            self.intake.notices.append(f"Nothing was retired in {where}: a record there has no readable id.")
        held = held_by(self.ledger.dataset)
        return [record_id for record_id, _ in find_gone(self.intake.staging.ids(), held, unsure=unsure)]

    def _refuse_claims(self, publication: Publication, gone: Sequence[str]) -> None:
        """Rejects records that want a slug which its present owner keeps."""
        staging = self.intake.staging
        claims: dict[str, Claim] = {}
        owners: dict[Claim, str] = {}
        for batch in staging.new_claims(_BATCH):
            found = publication.owners([(repo, slug) for _, repo, slug in batch])
            contested = {i: (repo, slug) for i, repo, slug in batch if found.get((repo, slug), i) != i}
            shown = publication.shown(list(contested))
            claims.update({record_id: claim for record_id, claim in contested.items() if record_id in shown})
            owners.update({claim: found[claim] for claim in contested.values()})
        if not claims:
            return
        moving = staging.claims_of(
            sorted(i for batch in _batches(sorted(owners.values())) for i in publication.shown(batch))
        )
        leaving = {record_id for batch in _batches(gone) for record_id in publication.leaving(batch)}
        for record_id, owner in refused_claims(claims, owners, moving=moving, gone=leaving).items():
            repo, slug = claims[record_id]
            message = f"{repo}/{slug} belongs to {owner}, which keeps it"
            origin = staging.origin_of(record_id) or ""
            problem = make_problem("slug_taken", message, origin=origin, path="$.slug", value=slug)
            staging.discard(record_id)
            self.intake.reject(b"", [problem], record_id=record_id, repo=repo)

    def _index(self, publication: Publication, prepared: list[search_index.Prepared | match_index.Prepared]) -> None:
        """The indexes of the new revision, from those of the one before it where they serve, else from all records."""
        before, now = publication.revision - 1, publication.revision
        matching = before if before > 0 and match_index.is_usable(before) else None
        prepared.append(match_index.prepare(now, base=matching))
        prepared[-1].publish()
        serves = before > 0 and search_index.is_usable(before) and not search_index.is_worn(before)
        base = before if serves else None
        changed = queries.iter_changed(now) if base is not None else queries.iter_records()
        prepared.append(search_index.prepare(now, base=base, changed=changed, removed=()))
        prepared[-1].publish()

    # -- the report ------------------------------------------------------------------------------------------------

    def _fill_from_intake(self) -> None:
        report, intake = self.report, self.intake
        report.rejected, report.warnings = intake.rejected, intake.warnings
        report.warnings_told = intake.warnings_told
        report.seconds = time.monotonic() - self.started
        report.unknown_fields = sorted(intake.unknown_fields)[:200]
        report.problem_counts = dict(sorted(intake.problem_counts.items()))
        report.notices = list(dict.fromkeys([*report.notices, *intake.notices]))[:200]
        names = ("origin", "position", "id", "repo", "path", "code", "message", "value")
        report.rejections = [dict(zip(names, row[:8], strict=True)) for row in intake.rejections[:_SHOWN_REJECTIONS]]

    def _fill_report(self, publication: Publication, *, changed: bool) -> None:
        report, tally = self.report, publication.tally
        report.added, report.retired, report.restored = (
            tally.counts[kind] for kind in ("added", "retired", "restored")
        )
        report.changed = tally.counts["changed"] + tally.counts["reanalysed"]
        report.notices += tally.notices
        report.notices += [
            f"{count:,} records are stored but not shown: dataset {name} comes first (see --priority)."
            for name, count in sorted(tally.hidden.items())
        ]
        report.repositories = tally.repositories
        report.samples = [
            Sample(kind=kind, id=i, repo=repo) for kind, rows in tally.samples.items() for i, repo in rows
        ]
        report.revision = publication.revision if changed else publication.revision - 1
        self._fill_from_intake()


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]


def _record(row: Staged) -> Record:
    """The record that waited; it was validated before, so that it decodes."""
    record = decode_record(row.content or b"", origin=row.origin, position=row.position).record
    if record is None:
        raise msgspec.ValidationError(f"{row.id} cannot be read back from staging")
    return record
