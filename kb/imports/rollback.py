"""Takes a release back: its dataset holds again what it held before, published as a new revision.

What was published of the same dataset after that release is taken back with it, since it stood on it; other datasets
keep what they have. A rollback can be taken back like any other release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.catalog.prepared import prepare
from kb.catalog.registry import ReleaseRow, held_by, held_hashes, last_release, mark_undone
from kb.catalog.undo import Documents, copies_before, documents_before, releases_to_undo
from kb.imports.options import ImportOptions, ImportReport
from kb.imports.progress import ProgressReporter
from kb.imports.publishing import Publication, publish
from kb.imports.refusals import Refusal
from kb.imports.session import Session, conduct
from kb.imports.staging import Staged
from kb.records.decode import decode_record

__all__ = ["run_rollback"]


def run_rollback(
    release: int | None = None, *, dry_run: bool = False, progress: ProgressReporter | None = None
) -> ImportReport:
    """Takes this release back, by default the last published one that is no rollback, and says what came of it.

    Never raises. Refused with ``unknown_release`` for a number that no published release has, ``nothing_to_undo`` when
    none stands, ``pruned`` when what was before is no longer kept.
    """
    chosen = last_release() if release is None else None
    number = chosen.pk if chosen is not None else release
    found = releases_to_undo(number) if number is not None else []
    dataset = found[0].dataset.name if found else ""
    report = ImportReport(kind="rollback", dataset=dataset)
    if not found:
        missing = (
            "no release stands that could be taken back"
            if release is None
            else f"{release} is no published release; see /releases/"
        )
        refusal = Refusal("nothing_to_undo" if release is None else "unknown_release", "", missing)
        report.outcome, report.error, report.code = "refused", str(refusal), refusal.code
        return report

    def work(session: Session) -> None:
        publish(session, _Rollback(session=session, releases=releases_to_undo(found[0].pk)))

    options = ImportOptions(dataset=dataset, dry_run=dry_run)
    return conduct(work, names=[f"before release {number}"], options=options, report=report, progress=progress)


@dataclass(kw_only=True)
class _Rollback:
    """One rollback, as a proposal to publish."""

    session: Session
    releases: Sequence[ReleaseRow]
    documents: Documents = field(default_factory=Documents)
    left: list[str] = field(default_factory=list)

    def begin(self, publication: Publication) -> None:
        """Repositories and articles as they were, and the copies that come back into staging. Raises ``Refusal``."""
        try:
            self.documents = documents_before(self.releases)
        except ValueError as error:
            raise Refusal("pruned", "", f"{error} (see KB_KEEP_RELEASES)") from error
        publication.put_documents(self.documents)
        seen: set[str] = set()
        for release in self.releases:
            if release.pk == self.documents.first_empty:  # before it there was nothing but what was seen by now
                held = held_by(self.session.ledger.dataset)
                self.left += [record_id for record_id, _ in held if record_id not in seen]
                break
            for batch in copies_before(release):
                rows = [row for row in batch if row[0] not in seen]
                seen.update(record_id for record_id, _, _ in rows)
                self._stage(rows)

    def _stage(self, rows: Sequence[tuple[str, str, bytes | None]]) -> None:
        staging, dataset = self.session.intake.staging, self.session.ledger.dataset
        held = held_hashes(dataset, [record_id for record_id, _, _ in rows])
        for record_id, digest, raw in rows:
            if raw is None:
                if record_id in held:
                    self.left.append(record_id)
                continue
            record = decode_record(raw).record
            if record is None:
                raise Refusal("damaged", record_id, "the copy kept of it cannot be read; run verify")
            if held.get(record_id) != digest:
                staging.add(Staged.of(prepare(record, digest=digest), origin="before the release"))
        self.session.progress.advance(len(rows))

    def gone(self) -> list[str]:
        """The copies that the releases brought."""
        return sorted(self.left)

    def conclude(self, publication: Publication) -> None:
        """The dataset as it was, and the releases marked as taken back."""
        rows = [row for row in self.releases if row.kind != ReleaseRow.Kind.RANKING] or self.releases
        publication.restore_dataset(self.documents, taken_back=rows[-1])
        self.session.report.dataset_version = self.documents.dataset["version"]
        mark_undone(self.releases, by=self.session.ledger.release.pk)
