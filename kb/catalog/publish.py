"""The only writer of the catalog, with one caller: the import pipeline.

A :class:`Publication` turns what one dataset brought (arrivals) and what it dropped (departures) into the next
revision. The caller opens the transaction, makes the calls in the order that the class names, and commits. Which copy
of a record is shown follows decisions 1: the dataset with the highest priority, then by name. A copy whose slug
another record has waits, retired, and is tried again by each later publication.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from kb.catalog.bulk import drop_indexes, insert_rows, restore_indexes
from kb.catalog.contents import pack
from kb.catalog.counts import inform_planner
from kb.catalog.descriptions import (
    create_repository,
    restore_articles,
    restore_dataset,
    restore_repositories,
    store_articles,
    store_dataset,
    store_rank,
    store_removal,
    store_repositories,
)
from kb.catalog.finding_counts import put_findings, tell_trend
from kb.catalog.holdings import (
    Copy,
    copies_behind,
    delete_copies,
    held_copies,
    ids_held_elsewhere,
    keep_behind,
    push_behind,
    rank_datasets,
    show_copies,
)
from kb.catalog.models import SLUG_TAKEN, CatalogState, Dataset, Holding, Release, Repository, Term
from kb.catalog.models import Record as RecordRow
from kb.catalog.prepared import Prepared
from kb.catalog.rows import record_of
from kb.catalog.shown import ShownRows, kind_of_change
from kb.catalog.successors import find_successors
from kb.catalog.tally import Tally
from kb.catalog.touched import Touched
from kb.catalog.undo import Documents, UndoLog
from kb.records.documents import Article, RepositoryInfo
from kb.records.record import Record

__all__ = ["Publication"]

_MOVING = "~"
_BATCH = 400
_SHARE_FOR_STATISTICS = 10  # when at least one record in so many changed
_MANY = 5_000  # records from which on
_INDEXED = ("catalog_record", "catalog_recordtag", "catalog_recordfinding", "catalog_holding", "catalog_change")
_CHANGE_COLUMNS = ("revision", "release_id", "record_id", "repo", "kind", "content")


class Publication:
    """One revision in the making. Call ``put_repositories`` and ``put_articles``, then ``depart`` for what went,
    ``leave_slugs`` and ``arrive`` for what came, ``come_forward``, ``rank_again``, ``put_dataset``, ``finish``.
    """

    def __init__(
        self, *, dataset: Dataset, release: Release, priority: int | None = None, trusted: bool | None = None
    ) -> None:
        self.dataset = dataset
        self.release = release
        self.tally = Tally()
        self._undo = UndoLog(dataset, release)
        self.state, _ = CatalogState.objects.select_for_update().get_or_create(pk=1)
        self.revision = self.state.revision + 1
        self.version_before = self.state.version
        self.documents_changed = 0  # repositories, articles or versions that pages show, besides records
        self._trust_before = dataset.trusted
        self._rank_changed = store_rank(dataset, priority=priority, trusted=trusted)
        self._ranks = rank_datasets()
        self._touched = Touched(self.revision)
        self._languages: dict[str, str | None] = {}
        self._left: dict[str, str] = {}  # slugs that records had until this publication
        self._orphans: list[str] = []  # records that departed and that another dataset has, too
        self._first = self.state.revision == 0  # there is no record yet, so that none need be looked for
        self._indexes: list[str] = []

    # -- what the dataset says besides records -----------------------------------------------------------------------

    def put_repositories(self, infos: Sequence[RepositoryInfo]) -> None:
        """Stores what the dataset says of repositories, unless a dataset of higher rank has said something."""
        changed = store_repositories(infos, dataset=self.dataset, ranks=self._ranks, undo=self._undo)
        self._touched.repositories |= changed
        self.documents_changed += len(changed)

    def put_articles(self, articles: Iterable[Article], *, complete: bool) -> None:
        """Stores the dataset's background articles; with ``complete`` those that are gone are deleted."""
        self.documents_changed += store_articles(articles, dataset=self.dataset, complete=complete, undo=self._undo)

    def put_dataset(
        self, *, version: str, complete: bool, source: str, remembered: Mapping[str, Any] | None = None
    ) -> None:
        """Stores what the release says of its dataset, and what its source is recognized by the next time. A partial
        source never takes the version back.
        """
        self.documents_changed += store_dataset(
            self.dataset, version=version, complete=complete, source=source, remembered=remembered or {}
        )

    def put_documents(self, kept: Documents) -> None:
        """Gives the dataset back its rank, and what it said of repositories and in articles, for a rollback."""
        rank = {name: kept.dataset[name] for name in ("priority", "trusted")}
        self._rank_changed |= store_rank(self.dataset, **rank)
        self._ranks = rank_datasets()
        changed = restore_repositories(kept.repositories, dataset=self.dataset, undo=self._undo)
        self._touched.repositories |= changed
        self.documents_changed += len(changed) + restore_articles(kept.articles, dataset=self.dataset, undo=self._undo)

    def restore_dataset(self, kept: Documents, *, taken_back: Release) -> None:
        """Gives the dataset back its version and source, for a rollback of releases of which ``taken_back`` is last."""
        self.documents_changed += restore_dataset(self.dataset, kept.dataset, taken_back=taken_back)

    def remove_dataset(self) -> None:
        """Takes the dataset's articles away and notes that it was removed; its records have departed before."""
        self.documents_changed += 1 + store_articles((), dataset=self.dataset, complete=True, undo=self._undo)
        store_removal(self.dataset)

    # -- what is shown now -------------------------------------------------------------------------------------------

    def owners(self, slugs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The ids of the current records that own these (repository, slug) pairs."""
        wanted = set(slugs)
        if self._first or not wanted:
            return {}
        found = RecordRow.objects.filter(
            repository_id__in={repo for repo, _ in wanted},
            slug__in={slug for _, slug in wanted},
            retired_revision__isnull=True,
        ).values_list("repository__full_name", "slug", "id")
        return {(repo, slug): record_id for repo, slug, record_id in found if (repo, slug) in wanted}

    def shown(self, ids: Sequence[str]) -> set[str]:
        """Those of these ids of which the dataset's copy is, or would be, the one shown."""
        if self._first:
            return set(ids)
        rows = RecordRow.objects.filter(pk__in=ids, retired_revision__isnull=True).values_list("pk", "dataset_id")
        return set(ids) - {record_id for record_id, dataset_id in rows if self._outranked_by(dataset_id)}

    def leaving(self, ids: Sequence[str]) -> set[str]:
        """Those of these ids, gone from the dataset, of which its copy is the one shown until now."""
        rows = RecordRow.objects.filter(pk__in=ids, dataset=self.dataset, retired_revision__isnull=True)
        return set(rows.values_list("pk", flat=True))

    # -- records that went -------------------------------------------------------------------------------------------

    def expect(self, count: int) -> None:
        """So many records will arrive. Where nothing is there yet, indexes are made after them instead of with them."""
        if self._first and count >= _MANY:
            self._indexes = drop_indexes(_INDEXED)

    def depart(self, ids: Sequence[str]) -> None:
        """Takes the dataset's copies of these records away.

        A record of which another dataset has a copy waits for ``come_forward``, its slug free for what arrives.
        """
        rows = self._rows(sorted(self.leaving(ids)))
        self._keep_before(ids, rows)
        delete_copies(self.dataset, ids)
        self.documents_changed += len(ids) - len(rows)
        behind = set(
            Holding.objects.filter(record_id__in=rows, content__isnull=False).values_list("record_id", flat=True)
        )
        self._retire([row for row in rows.values() if row.pk not in behind], reason="gone")
        RecordRow.objects.filter(pk__in=behind).update(retired_revision=self.revision)
        self._orphans += sorted(behind)

    def _keep_before(self, ids: Sequence[str], rows: Mapping[str, RecordRow]) -> None:
        """Notes the dataset's copies of these records as they are, for a rollback. ``rows`` are those shown now."""
        if self._undo.documents.empty:
            return
        kept: dict[str, tuple[str, bytes | None]] = {}
        for record_id, digest, content in held_copies(self.dataset, ids):
            kept[record_id] = (digest, content or pack(self._record_before(rows[record_id])))
        self._undo.note_copies([(record_id, *kept.get(record_id, ("", None))) for record_id in ids])

    def _record_before(self, row: RecordRow) -> Record:
        """The record of a row, with the slug that it had before this publication freed that."""
        record = record_of(row)
        return msgspec.structs.replace(record, slug=self._left[row.pk]) if row.pk in self._left else record

    def _retire(self, rows: Sequence[RecordRow], *, reason: str) -> None:
        for row in rows:
            self._touched.add_row(row)
        RecordRow.objects.filter(pk__in=[row.pk for row in rows]).update(
            retired_revision=self.revision, retired_reason=reason, changed_revision=self.revision, canonical_id=None
        )
        put_findings((), replaced=[row.pk for row in rows])
        self._changes([("retired", row.pk, row.repository_id, pack(record_of(row))) for row in rows])

    # -- records that came -------------------------------------------------------------------------------------------

    def leave_slugs(self, wanted: Mapping[str, tuple[str, str]]) -> None:
        """Frees the slugs of records (id to new repository and slug) that are about to get another one."""
        if self._first:
            return
        rows = RecordRow.objects.filter(pk__in=list(wanted)).only("id", "repository_id", "slug")
        self._leave({row.pk: row for row in rows}, wanted)

    def _leave(self, rows: Mapping[str, RecordRow], wanted: Mapping[str, tuple[str, str]]) -> None:
        moving = [
            rows[record_id]
            for record_id, claim in wanted.items()
            if record_id in rows and (rows[record_id].repository_id, rows[record_id].slug) != claim
        ]
        insert_rows(
            "catalog_slughistory",
            ("repo", "slug", "record_id", "until_revision"),
            [(row.repository_id, row.slug, row.pk, self.revision) for row in moving],
        )
        for row in moving:
            self._left[row.pk] = row.slug
            RecordRow.objects.filter(pk=row.pk).update(slug=f"{_MOVING}{row.pk}")

    def arrive(self, arrivals: Sequence[Prepared]) -> None:
        """Stores the dataset's new copies, and shows those that no dataset of higher rank has.

        They are records that the dataset did not hold, or held with other content.
        """
        new = self._undo.documents.empty
        copies = [Copy(ready, self.dataset.pk) for ready in arrivals]
        ids = [copy.id for copy in copies]
        rows = self._rows(ids)
        self._keep_before(ids, rows)
        living = {row.pk: row for row in rows.values() if row.retired_revision is None}
        hidden = {row.pk for row in living.values() if self._outranked_by(row.dataset_id)}
        for name in (self._ranks[living[record_id].dataset_id][-1] for record_id in hidden):
            self.tally.hidden[name] = self.tally.hidden.get(name, 0) + 1
        self.documents_changed += len(hidden)  # pages say who else holds a record
        keep_behind([copy for copy in copies if copy.id in hidden], new=new)
        shown = [copy for copy in copies if copy.id not in hidden]
        self._push_back([living[copy.id] for copy in shown if copy.id in living])
        show_copies(shown, new=new)
        self._show(shown, rows)

    def come_forward(self) -> None:
        """Shows the best other copies of records that departed, and of those whose slug was taken and is free now.

        Comes after ``arrive``: a dataset whose copy was shown ranks before those that were behind it.
        """
        if self._first:
            return
        hidden = RecordRow.objects.filter(retired_reason=SLUG_TAKEN).exclude(retired_revision=self.revision)
        waiting = [*self._orphans, *hidden.order_by("pk").values_list("pk", flat=True)]
        for start in range(0, len(waiting), _BATCH):
            ids = waiting[start : start + _BATCH]
            rows, copies = self._rows(ids), copies_behind(ids, self._ranks)
            chosen = self._choose(copies)
            self._leave(rows, {copy.id: copy.claim for copy in chosen})
            show_copies(chosen)
            self._show(chosen, rows)
            left = set(ids) - {copy.id for copy in chosen}
            orphans = [
                rows[record_id] for record_id in sorted(left) if rows[record_id].retired_revision == self.revision
            ]
            self._retire(orphans, reason=SLUG_TAKEN)
            self.tally.notices += [f"{row.pk} is retired: another record has its slug" for row in orphans]
            RecordRow.objects.filter(pk__in=left - set(copies)).update(retired_reason="gone")

    def rank_again(self) -> None:
        """After a change of priority or trust: shows the best copy of everything that the dataset shares."""
        for ids in ids_held_elsewhere(self.dataset) if self._rank_changed and not self._first else ():
            rows = {pk: row for pk, row in self._rows(ids).items() if row.retired_revision is None}
            behind = copies_behind(list(rows), self._ranks)
            better = {
                pk: copies[:1]
                for pk, copies in behind.items()
                if self._before(copies[0].dataset_id, rows[pk].dataset_id)
            }
            chosen = self._choose(better)
            self._push_back([rows[copy.id] for copy in chosen])
            self._leave(rows, {copy.id: copy.claim for copy in chosen})
            show_copies(chosen)
            self._show(chosen, rows)

    def _choose(self, candidates: Mapping[str, Sequence[Copy]]) -> list[Copy]:
        """The first copy of each record whose slug is free; of two that want the same, the dataset of higher rank."""
        owners = self.owners([copy.claim for copies in candidates.values() for copy in copies])
        assigned: set[tuple[str, str]] = set()
        chosen = []
        for record_id, copies in sorted(
            candidates.items(), key=lambda item: (self._ranks[item[1][0].dataset_id], item[0])
        ):
            for copy in copies:
                if owners.get(copy.claim, record_id) == record_id and copy.claim not in assigned:
                    assigned.add(copy.claim)
                    chosen.append(copy)
                    break
        return chosen

    def _push_back(self, rows: Sequence[RecordRow]) -> None:
        """Keeps the copies of other datasets, which are shown until now, behind the one that arrives."""
        push_behind([(self._record_before(row), row.dataset_id, row.content_hash) for row in rows])

    def _show(self, copies: Sequence[Copy], rows: Mapping[str, RecordRow]) -> None:
        """Makes these copies the ones that readers see; ``rows`` are the records as they are shown now."""
        self._know([copy.ready for copy in copies])
        shown, changes = ShownRows(self.revision), []
        for copy in copies:
            ready, row = copy.ready, rows.get(copy.id)
            kind = kind_of_change(row, ready, revision=self.revision)
            if row is not None:
                self._touched.add_row(row)
                self.documents_changed += kind is None and row.dataset_id != copy.dataset_id  # pages name the dataset
            self._touched.add_ready(ready)
            language = self._languages[ready.repo]
            shown.add(ready, dataset_id=copy.dataset_id, language=language, replaces=row, kind=kind)
            if kind:
                changes.append((kind, copy.id, ready.repo, ready.packed))
        shown.write()
        self._changes(changes)

    def _changes(self, changes: Sequence[tuple[str, str, str, bytes]]) -> None:
        """Notes changes (kind, id, repository, packed content after it)."""
        insert_rows(
            "catalog_change",
            _CHANGE_COLUMNS,
            [(self.revision, self.release.pk, pk, repo, kind, content) for kind, pk, repo, content in changes],
        )
        for kind, record_id, repo, _ in changes:
            self.tally.add(kind, record_id, repo)

    # -- the end -----------------------------------------------------------------------------------------------------

    def finish(self) -> bool:
        """Brings counts, duplicate groups and the catalog's state up to date; says whether there is a new revision."""
        if self.tally.total * _SHARE_FOR_STATISTICS >= max(self.state.records, 1):
            inform_planner()
        restore_indexes(self._indexes)
        self._touched.refresh(everything=self._first)
        self.documents_changed += self.dataset.trusted != self._trust_before  # pages say which dataset is not trusted
        if not (self.tally.total or self.documents_changed):
            return False
        totals = Repository.objects.filter(retired=False).values_list("record_count", flat=True)
        self.state.records = sum(totals)
        self.state.repositories = len(totals)
        self.state.families = Term.objects.filter(kind="family").count()
        self.state.datasets = sum(Holding.objects.filter(dataset=pk).exists() for pk in self._ranks)
        self.state.revision = self.revision
        self.state.version = _later_than(self.state.version)
        self.state.save()
        self._undo.close()
        if not self._first:
            find_successors(self.revision, self.tally.counts)
        tell_trend(self.revision, records=self.state.records)
        return True

    # -- small pieces ------------------------------------------------------------------------------------------------

    @property
    def version(self) -> str:
        """The version of the catalog at this revision, once it is finished."""
        return self.state.version

    def _rows(self, ids: Sequence[str]) -> dict[str, RecordRow]:
        return {} if self._first else {row.pk: row for row in RecordRow.objects.filter(pk__in=ids)}

    def _before(self, one: int, other: int) -> bool:
        return self._ranks[one] < self._ranks[other]

    def _outranked_by(self, dataset_id: int) -> bool:
        return self._before(dataset_id, self.dataset.pk)

    def _know(self, arrivals: Sequence[Prepared]) -> None:
        """Makes sure that the repositories of these records exist and that their languages are known."""
        first = {ready.repo: ready for ready in reversed(arrivals) if ready.repo not in self._languages}
        if not first:
            return
        found = dict(Repository.objects.filter(full_name__in=first).values_list("full_name", "language"))
        for name in sorted(set(first) - set(found)):
            sha, time = first[name].column("analyzed_sha"), first[name].column("analyzed_at")
            create_repository(name, analyzed_sha=sha, analyzed_at=time)
            found[name] = None
        self._languages.update(found)


def _later_than(version: str) -> str:
    """The present time in milliseconds, or one more than ``version`` when the clock has gone back (decisions 7)."""
    now = datetime.now(UTC)
    if version:
        now = max(now, datetime.fromisoformat(version) + timedelta(milliseconds=1))
    return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
