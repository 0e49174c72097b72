"""The only writer of the catalog, with one caller: the import pipeline.

A :class:`Publication` turns what one dataset brought (arrivals) and what it dropped (departures) into the next
revision. The caller opens the transaction, makes the calls in the order of the methods below, and commits. Which copy
of a record is shown follows decisions 1: the dataset with the highest priority, then by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from kb.catalog.bulk import delete_by_key, insert_rows, upsert_rows
from kb.catalog.contents import pack, unpack
from kb.catalog.counts import refresh_duplicates, refresh_repositories, refresh_terms
from kb.catalog.descriptions import store_articles, store_dataset, store_repositories
from kb.catalog.models import CatalogState, Dataset, Holding, Release, Repository, Term
from kb.catalog.models import Record as RecordModel
from kb.catalog.rows import RECORD_COLUMNS, record_of, record_values
from kb.catalog.tally import Tally
from kb.records.documents import Article, RepositoryInfo
from kb.records.keys import url_key
from kb.records.record import Record
from kb.records.text import fold

__all__ = ["Arrival", "Publication"]

_MOVING = "~"
_SHOWN_COLUMNS = ("dataset_id", "first_revision", "changed_revision", "retired_revision", "retired_reason")
_HOLDING_COLUMNS = ("dataset_id", "record_id", "repo", "content_hash", "content")
_CHANGE_COLUMNS = ("revision", "release_id", "record_id", "repo", "kind", "content")


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """A record that the dataset did not hold, or held with other content."""

    record: Record
    content_hash: str


@dataclass(frozen=True)
class _Copy:
    """A record as one dataset has it."""

    record: Record
    dataset_id: int
    content_hash: str


class Publication:
    """One revision in the making. Call ``put_repositories``, ``depart``, ``leave_slugs``, ``arrive``, ``finish``."""

    def __init__(self, *, dataset: Dataset, release: Release) -> None:
        self.dataset = dataset
        self.release = release
        self.tally = Tally()
        self.state, _ = CatalogState.objects.select_for_update().get_or_create(pk=1)
        self.revision = self.state.revision + 1
        self.documents_changed = 0  # repositories, articles or versions that pages show, besides records
        self._ranks = {row.pk: (-row.priority, row.name) for row in Dataset.objects.all()}
        self._touched: dict[str, set[str]] = {"family": set(), "code": set(), "class": set(), "tag": set()}
        self._repositories: set[str] = set()
        self._duplicates: set[str] = set()
        self._languages: dict[str, str | None] = {}
        self._left: dict[str, str] = {}  # slugs that records had until this publication

    # -- what the dataset says besides records -------------------------------------------------------------------------

    def put_repositories(self, infos: Sequence[RepositoryInfo]) -> None:
        """Stores what the dataset says of repositories, unless a dataset of higher rank has said something."""
        changed = store_repositories(infos, dataset=self.dataset, ranks=self._ranks)
        self._repositories |= changed
        self.documents_changed += len(changed)

    def put_articles(self, articles: Iterable[Article], *, complete: bool) -> None:
        """Stores the dataset's background articles; with ``complete`` those that are gone are deleted."""
        self.documents_changed += store_articles(articles, dataset=self.dataset, complete=complete)

    def put_dataset(self, *, version: str, complete: bool, source: str) -> None:
        """Stores what the release says of its dataset. A partial source never takes the version back."""
        self.documents_changed += store_dataset(self.dataset, version=version, complete=complete, source=source)

    # -- records that went -----------------------------------------------------------------------------------------

    def depart(self, ids: Sequence[str]) -> None:
        """Takes the dataset's copies of these records away: another copy comes forward, else the record retires."""
        rows = self._rows(ids)
        others = self._best_others(ids)
        Holding.objects.filter(dataset=self.dataset, record_id__in=ids).delete()
        forward: list[_Copy] = []
        for record_id in ids:
            row = rows.get(record_id)
            if row is None or row.dataset_id != self.dataset.pk or row.retired_revision is not None:
                continue
            other = others.get(record_id)
            if other is not None and other.content is not None:
                copy = unpack(other.content)
                if copy.slug == row.slug or not self.owners([(copy.repo, copy.slug)]):
                    forward.append(_Copy(copy, other.dataset_id, other.content_hash))
                    continue
                self.tally.notices.append(f"{record_id} of {other.dataset} stays hidden: its slug {copy.slug} is taken")
            self._retire(row)
        self._leave(rows, {copy.record.id: copy.record.slug for copy in forward})
        self._show(forward, self._rows([copy.record.id for copy in forward]))

    def _retire(self, row: RecordModel) -> None:
        self._touch(row)
        RecordModel.objects.filter(pk=row.pk).update(
            retired_revision=self.revision, retired_reason="gone", changed_revision=self.revision, canonical_id=None
        )
        self._changes([("retired", record_of(row))])

    # -- records that came -----------------------------------------------------------------------------------------

    def owners(self, slugs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The ids of the current records that own these (repository, slug) pairs."""
        wanted = set(slugs)
        found = RecordModel.objects.filter(
            repository_id__in={repo for repo, _ in wanted},
            slug__in={slug for _, slug in wanted},
            retired_revision__isnull=True,
        ).values_list("repository__full_name", "slug", "id")
        return {(repo, slug): record_id for repo, slug, record_id in found if (repo, slug) in wanted}

    def shown(self, ids: Sequence[str]) -> set[str]:
        """Those of these ids of which the dataset's copy is, or would be, the one shown."""
        rows = RecordModel.objects.filter(pk__in=ids, retired_revision__isnull=True).values_list("pk", "dataset_id")
        return set(ids) - {record_id for record_id, dataset_id in rows if self._outranked_by(dataset_id)}

    def leave_slugs(self, wanted: Mapping[str, str]) -> None:
        """Frees the slugs of records (id to new slug) that are about to get another one."""
        self._leave(self._rows(list(wanted), light=True), wanted)

    def _leave(self, rows: Mapping[str, RecordModel], wanted: Mapping[str, str]) -> None:
        moving = [
            rows[record_id] for record_id, slug in wanted.items() if record_id in rows and rows[record_id].slug != slug
        ]
        insert_rows(
            "catalog_slughistory",
            ("repo", "slug", "record_id", "until_revision"),
            [(row.repository_id, row.slug, row.pk, self.revision) for row in moving],
        )
        for row in moving:
            self._left[row.pk] = row.slug
            RecordModel.objects.filter(pk=row.pk).update(slug=f"{_MOVING}{row.pk}")

    def arrive(self, arrivals: Sequence[Arrival]) -> None:
        """Stores the dataset's new copies, and shows those that no dataset of higher rank has."""
        rows = self._rows([arrival.record.id for arrival in arrivals])
        shadowed = [
            arrival
            for arrival in arrivals
            if (row := rows.get(arrival.record.id))
            and row.retired_revision is None
            and self._outranked_by(row.dataset_id)
        ]
        hidden = {arrival.record.id for arrival in shadowed}
        self.tally.hidden += len(hidden)
        shown = [arrival for arrival in arrivals if arrival.record.id not in hidden]
        self._push_back([row for arrival in shown if (row := rows.get(arrival.record.id)) is not None])
        self._hold([self._holding(arrival, pack(arrival.record)) for arrival in shadowed])
        self._hold([self._holding(arrival, None) for arrival in shown])
        self._show([_Copy(arrival.record, self.dataset.pk, arrival.content_hash) for arrival in shown], rows)

    def _push_back(self, rows: Sequence[RecordModel]) -> None:
        """Keeps the copies of other datasets, which are shown until now, behind the one that arrives."""
        pushed = [row for row in rows if row.dataset_id != self.dataset.pk and row.retired_revision is None]
        for row in pushed:
            row.slug = self._left.get(row.pk, row.slug)  # it may just have been freed
        self._hold(
            [(row.dataset_id, row.pk, row.repository_id, row.content_hash, pack(record_of(row))) for row in pushed]
        )

    def _holding(self, arrival: Arrival, content: bytes | None) -> tuple[Any, ...]:
        return (self.dataset.pk, arrival.record.id, arrival.record.repo, arrival.content_hash, content)

    def _hold(self, rows: Sequence[tuple[Any, ...]]) -> None:
        upsert_rows("catalog_holding", _HOLDING_COLUMNS, ("dataset_id", "record_id"), rows)

    def _show(self, copies: Sequence[_Copy], rows: Mapping[str, RecordModel]) -> None:
        """Makes these copies the ones that readers see; ``rows`` are the records as they are shown now."""
        self._know([copy.record for copy in copies])
        values, changes, tags = [], [], []
        for copy in copies:
            record, row = copy.record, rows.get(copy.record.id)
            language = self._languages[record.repo]
            columns = record_values(record, digest=copy.content_hash, repository_language=language)
            new = dict(zip(RECORD_COLUMNS, columns, strict=True))
            kind = _kind(row, new)
            if row is not None:
                self._touch(row)
            self._touch_record(record, new["duplicate_key"])
            changed = self.revision if kind or row is None else row.changed_revision
            values.append((*columns, copy.dataset_id, self.revision, changed, None, ""))
            tags += [(tag, record.repo, record.slug, record.id) for tag in dict.fromkeys(record.tags)]
            if kind:
                changes.append((kind, record))
        upsert_rows("catalog_record", (*RECORD_COLUMNS, *_SHOWN_COLUMNS), ("id",), values, keep=("first_revision",))
        delete_by_key("catalog_recordtag", "record_id", [copy.record.id for copy in copies if copy.record.id in rows])
        insert_rows("catalog_recordtag", ("tag", "repo", "slug", "record_id"), tags)
        self._changes(changes)
        for copy in copies:
            if copy.dataset_id != self.dataset.pk:
                Holding.objects.filter(dataset_id=copy.dataset_id, record_id=copy.record.id).update(content=None)

    def _changes(self, changes: Sequence[tuple[str, Record]]) -> None:
        insert_rows(
            "catalog_change",
            _CHANGE_COLUMNS,
            [(self.revision, self.release.pk, record.id, record.repo, kind, pack(record)) for kind, record in changes],
        )
        for kind, record in changes:
            self.tally.add(kind, record.id, record.repo)

    # -- the end ---------------------------------------------------------------------------------------------------

    def finish(self) -> bool:
        """Brings counts, duplicate groups and the catalog's state up to date; says whether there is a new revision."""
        refresh_terms(self._touched)
        refresh_repositories(self._repositories)
        refresh_duplicates(self._duplicates)
        if not (self.tally.total or self.documents_changed):
            return False
        totals = Repository.objects.filter(retired=False).values_list("record_count", flat=True)
        self.state.records = sum(totals)
        self.state.repositories = len(totals)
        self.state.families = Term.objects.filter(kind="family").count()
        self.state.datasets = Dataset.objects.count()
        self.state.revision = self.revision
        self.state.version = _later_than(self.state.version)
        self.state.save()
        return True

    # -- small pieces ----------------------------------------------------------------------------------------------

    def _rows(self, ids: Sequence[str], *, light: bool = False) -> dict[str, RecordModel]:
        rows = RecordModel.objects.filter(pk__in=ids)
        return {row.pk: row for row in (rows.only("id", "repository_id", "slug") if light else rows)}

    def _best_others(self, ids: Sequence[str]) -> dict[str, Holding]:
        rows = Holding.objects.filter(record_id__in=ids).exclude(dataset=self.dataset).select_related("dataset")
        ordered = sorted(rows, key=lambda row: self._ranks[row.dataset_id], reverse=True)
        return {row.record_id: row for row in ordered}  # the last one written, of the best rank, stays

    def _outranked_by(self, dataset_id: int) -> bool:
        return self._ranks[dataset_id] < self._ranks[self.dataset.pk]

    def _know(self, records: Sequence[Record]) -> None:
        """Makes sure that the repositories of these records exist and that their languages are known."""
        names = {record.repo for record in records} - set(self._languages)
        found = dict(Repository.objects.filter(full_name__in=names).values_list("full_name", "language"))
        for name in sorted(names - set(found)):
            record = next(record for record in records if record.repo == name)
            Repository.objects.create(
                full_name=name,
                folded_name=fold(name),
                analyzed_sha=record.analyzed_sha,
                analyzed_at=record.analyzed_at,
            )
            found[name] = None
        self._languages.update(found)

    def _touch(self, row: RecordModel) -> None:
        for kind, key in (("family", row.family), ("code", row.code_key), ("class", row.class_key)):
            if key:
                self._touched[kind].add(key)
        self._touched["tag"].update(row.tags)
        self._repositories.add(row.repository_id)
        self._duplicates.add(row.duplicate_key)

    def _touch_record(self, record: Record, duplicate_key: str) -> None:
        terms = (("family", record.background_tag), ("code", record.error_code), ("class", record.error_class))
        for kind, label in terms:
            if label:
                self._touched[kind].add(label if kind == "family" else url_key(label))
        self._touched["tag"].update(record.tags)
        self._repositories.add(record.repo)
        self._duplicates.add(duplicate_key)


def _kind(row: RecordModel | None, new: Mapping[str, Any]) -> str | None:
    """The kind of change from what is shown to the new columns, ``None`` when only the dataset behind it changes."""
    if row is None:
        return "added"
    if row.retired_revision is not None:
        return "restored"
    if row.content_hash == new["content_hash"]:
        return None
    return "reanalysed" if row.substance_hash == new["substance_hash"] else "changed"


def _later_than(version: str) -> str:
    """The present time in milliseconds, or one more than ``version`` when the clock has gone back (decisions 7)."""
    now = datetime.now(UTC)
    if version:
        now = max(now, datetime.fromisoformat(version) + timedelta(milliseconds=1))
    return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
