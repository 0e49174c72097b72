"""What waits in staging becomes the next revision, in one transaction with its indexes in place before the commit.

The only caller of :mod:`kb.catalog.publish`. For a reader there is one switch: the indexes of the next revision are
there before the transaction commits, and are taken away again when it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from django.db import transaction
from django.db.utils import DatabaseError

from kb.catalog import queries
from kb.catalog.publish import Publication
from kb.imports.commits import came_through
from kb.imports.disk import Extent, check_space
from kb.imports.indexing import Prepared, prepare_both
from kb.imports.options import Sample
from kb.imports.session import Session
from kb.imports.slugs import Claim, refused_claims
from kb.records.problems import make_problem
from kb.records.text import counted

__all__ = ["Proposal", "Publication", "publish"]

_BATCH = 400


class Proposal(Protocol):
    """What one release changes, besides the records that wait in staging."""

    def begin(self, publication: Publication) -> None:
        """What comes before the records: repositories and articles."""

    def gone(self) -> Sequence[str]:
        """The ids of the copies that leave the dataset, in order. Raises ``Refusal``."""

    def conclude(self, publication: Publication) -> None:
        """What comes after them: the dataset itself."""


def publish(session: Session, proposal: Proposal) -> None:
    """Makes one revision of what waits and of the proposal, or none where nothing changes; fills the report.

    When the connection is lost while the transaction commits, the database is asked what became of it.
    """
    prepared: list[Prepared] = []
    _check_space(session)
    try:
        with transaction.atomic():
            _publish(session, proposal, prepared)
    except DatabaseError:
        came = came_through(session.ledger.release.pk)
        if came:
            return
        if came is False:  # when nobody can tell, the index is left: it does no harm, and may be that of a revision
            _discard(prepared)
        raise
    except BaseException:
        _discard(prepared)
        raise


def _publish(session: Session, proposal: Proposal, prepared: list[Prepared]) -> None:
    options, report = session.options, session.report
    publication = Publication(
        dataset=session.ledger.dataset,
        release=session.ledger.release,
        priority=options.priority,
        trusted=options.trusted,
    )
    _write(session, publication, proposal)
    changed = publication.finish()
    if changed and not options.dry_run:
        _index(session, publication, prepared)
    _fill_report(session, publication, changed=changed)
    report.outcome = "published" if changed else "unchanged"
    session.ledger.close(report, state=report.outcome, rejections=session.intake.rejections)


def _discard(prepared: Sequence[Prepared]) -> None:
    for index in prepared:
        index.discard()


def _check_space(session: Session) -> None:
    """Asks whether the disk has room for what waits. Raises ``Refusal``."""
    staging = session.intake.staging
    new = staging.counts()["new"]
    extent = Extent(changing=new, arriving=staging.bytes_waiting(), catalog=queries.state().records + new)
    check_space(extent)


def _write(session: Session, publication: Publication, proposal: Proposal) -> None:
    staging, progress = session.intake.staging, session.progress
    proposal.begin(publication)
    gone = proposal.gone()
    _refuse_claims(session, publication, gone)
    counts = staging.counts()
    session.report.unchanged = counts["known"]
    progress.phase("Publishing", counts["new"] + len(gone))
    publication.expect(counts["new"])
    for batch in _batches(gone):
        publication.depart(batch)
        progress.advance(len(batch))
    for claims in staging.new_claims(_BATCH):
        shown = publication.shown([record_id for record_id, _, _ in claims])
        publication.leave_slugs({record_id: (repo, slug) for record_id, repo, slug in claims if record_id in shown})
    for rows in staging.new(_BATCH):
        publication.arrive([row.prepared for row in rows])
        progress.advance(len(rows))
    publication.come_forward()
    publication.rank_again()
    proposal.conclude(publication)


def _refuse_claims(session: Session, publication: Publication, gone: Sequence[str]) -> None:
    """Rejects records that want a slug which its present owner keeps."""
    staging = session.intake.staging
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
        session.intake.reject(b"", [problem], record_id=record_id, repo=repo)


def _index(session: Session, publication: Publication, prepared: list[Prepared]) -> None:
    """The indexes of the new revision, in place before its transaction commits."""
    session.progress.phase("Indexing", publication.tally.total)
    prepared += prepare_both(
        publication.revision,
        records=publication.tally.total,
        base_version=publication.version_before,
        advance=session.progress.advance,
    )
    for index in prepared:
        index.publish(catalog=publication.version)


def _fill_report(session: Session, publication: Publication, *, changed: bool) -> None:
    report, tally = session.report, publication.tally
    report.added, report.retired, report.restored = (tally.counts[kind] for kind in ("added", "retired", "restored"))
    report.changed = tally.counts["changed"] + tally.counts["reanalysed"]
    report.notices += tally.notices
    report.notices += [
        f"{counted(count, 'record is', 'records are')} stored but not shown:"
        f" dataset {name} comes first (see --priority)."
        for name, count in sorted(tally.hidden.items())
    ]
    report.repositories = tally.repositories
    report.samples = [Sample(kind=kind, id=i, repo=repo) for kind, rows in tally.samples.items() for i, repo in rows]
    report.revision = publication.revision if changed else publication.revision - 1
    session.fill_from_intake()


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]
