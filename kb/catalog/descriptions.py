"""What a dataset says besides its records: of repositories, in background articles, and of itself.

Each function writes only what differs, and tells how much that was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from kb.catalog.models import CLUSTER_KEY_LENGTH, Dataset, Release, Repository
from kb.catalog.models import Article as ArticleRow
from kb.catalog.rows import folded_name
from kb.catalog.undo import UndoLog
from kb.records.documents import Article, RepositoryInfo, encode_article

__all__ = [
    "create_repository",
    "restore_articles",
    "restore_dataset",
    "restore_repositories",
    "store_articles",
    "store_dataset",
    "store_rank",
    "store_removal",
    "store_repositories",
]

Ranks = Mapping[int, tuple[bool, int, str]]
_KEPT = (
    "description", "language", "stars", "source_files", "default_branch", "analyzed_sha", "analyzed_at", "extra",
    "dataset_id",
)  # fmt: skip
_BARE: Mapping[str, Any] = {
    "description": None, "language": None, "stars": None, "source_files": None, "default_branch": None, "extra": {},
    "dataset_id": None,
}  # fmt: skip


def create_repository(name: str, *, analyzed_sha: str, analyzed_at: str) -> None:
    """A repository that only its records tell of."""
    folded = folded_name(name)
    Repository.objects.create(full_name=name, folded_name=folded, analyzed_sha=analyzed_sha, analyzed_at=analyzed_at)


def store_rank(dataset: Dataset, *, priority: int | None, trusted: bool | None) -> bool:
    """Gives the dataset a priority and trust; whether that changed one of them. ``None`` leaves what is."""
    wanted = {"priority": priority, "trusted": trusted}
    changed = {name: value for name, value in wanted.items() if value is not None and getattr(dataset, name) != value}
    for name, value in changed.items():
        setattr(dataset, name, value)
    if changed:
        dataset.save(update_fields=list(changed))
    return bool(changed)


def store_repositories(infos: Sequence[RepositoryInfo], *, dataset: Dataset, ranks: Ranks, undo: UndoLog) -> set[str]:
    """Stores descriptions of repositories, except over those of a dataset of higher rank; the names that changed."""
    known = _known([info.repo for info in infos])
    changed = set()
    for info in infos:
        row = known.get(info.repo) or Repository(full_name=info.repo, folded_name=folded_name(info.repo))
        if row.dataset_id is not None and ranks[row.dataset_id] < ranks[dataset.pk]:
            continue
        fields = {
            "description": info.description,
            "language": info.language,
            "stars": info.stars,
            "source_files": info.source_files,
            "default_branch": info.default_branch,
            "analyzed_sha": info.analyzed_sha or "",
            "analyzed_at": info.analyzed_at or "",
            "extra": info.extra,
            "dataset_id": dataset.pk,
        }
        if row.pk and all(getattr(row, name) == value for name, value in fields.items()):
            continue
        undo.note_repository(info.repo, {name: getattr(row, name) for name in _KEPT} if row.pk else None)
        for name, value in fields.items():
            setattr(row, name, value)
        row.save()
        changed.add(row.full_name)
    return changed


def restore_repositories(kept: Mapping[str, Mapping[str, Any] | None], *, dataset: Dataset, undo: UndoLog) -> set[str]:
    """Gives repositories back what was known of them, except where another dataset has told of them since; the names
    that changed.
    """
    changed = set()
    for row in _known(list(kept)).values():
        fields = kept[row.full_name] or _BARE
        if row.dataset_id != dataset.pk or all(getattr(row, name) == value for name, value in fields.items()):
            continue
        undo.note_repository(row.full_name, {name: getattr(row, name) for name in _KEPT})
        for name, value in fields.items():
            setattr(row, name, value)
        row.save()
        changed.add(row.full_name)
    return changed


def _known(names: Sequence[str]) -> dict[str, Repository]:
    found: dict[str, Repository] = {}
    for start in range(0, len(names), 500):
        rows = Repository.objects.filter(full_name__in=names[start : start + 500])
        found.update((row.full_name, row) for row in rows)
    return found


def store_articles(articles: Iterable[Article], *, dataset: Dataset, complete: bool, undo: UndoLog) -> int:
    """Stores background articles; with ``complete`` those that are gone are deleted. How many changed."""
    wanted: dict[str, Mapping[str, Any] | None] = {article.slug: encode_article(article) for article in articles}
    if complete:
        held = ArticleRow.objects.filter(dataset=dataset).values_list("slug", flat=True)
        wanted.update(dict.fromkeys(set(held) - set(wanted)))
    return restore_articles(wanted, dataset=dataset, undo=undo)


def restore_articles(wanted: Mapping[str, Mapping[str, Any] | None], *, dataset: Dataset, undo: UndoLog) -> int:
    """Stores articles as whole documents, and deletes those that are ``None``. How many changed."""
    held = dict(ArticleRow.objects.filter(dataset=dataset).values_list("slug", "content_hash"))
    changed = 0
    for slug, content in wanted.items():
        digest = None if content is None else _digest(content)
        if held.get(slug) == digest:
            continue
        old = ArticleRow.objects.filter(dataset=dataset, slug=slug).first()
        undo.note_article(slug, old.content if old else None)
        if content is not None:
            key = str(content["clusterKey"])[:CLUSTER_KEY_LENGTH]
            fields = {"cluster_key": key, "content_hash": digest, "content": content}
            ArticleRow.objects.update_or_create(dataset=dataset, slug=slug, defaults=fields)
        elif old is not None:
            old.delete()
        changed += 1
    return changed


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.blake2b(msgspec.json.encode(content, order="deterministic"), digest_size=16).hexdigest()


def store_dataset(dataset: Dataset, *, version: str, complete: bool, source: str, remembered: Mapping[str, Any]) -> int:
    """Stores version, kind and source of a dataset, and what its source left to be recognized by; 1 if the version
    changed, which pages show, else 0. A partial source never takes the version back.
    """
    version = (version or dataset.version if complete else max(version, dataset.version))[:64]
    return _put(
        dataset, version=version, complete=complete, source=source, remembered=dict(remembered), removed_at=None
    )


def restore_dataset(dataset: Dataset, kept: Mapping[str, Any], *, taken_back: Release) -> int:
    """Gives a dataset back version, kind and source as a release kept them; 1 if the version changed, else 0.

    Whatever its source has is read at the next import, unless it is what ``taken_back``, the last of the releases that
    are taken back, read: that stays remembered under ``takenBack``.
    """
    fields = {name: kept[name] for name in ("version", "complete", "source")}
    held = dataset.remembered
    remembered = {"takenBack": held["takenBack"]} if "takenBack" in held else {}
    if taken_back.kind == Release.Kind.IMPORT and held.get("sources"):
        remembered = {"takenBack": {"release": taken_back.pk, "sources": held["sources"]}}
    return _put(dataset, **fields, remembered=remembered, removed_at=None)


def store_removal(dataset: Dataset) -> None:
    """Notes that the dataset was removed. It has no version and remembers nothing any more."""
    _put(dataset, version="", remembered={}, removed_at=datetime.now(UTC))


def _put(dataset: Dataset, **fields: Any) -> int:
    moved = dataset.version != fields.get("version", dataset.version)
    if any(getattr(dataset, name) != value for name, value in fields.items()):
        for name, value in fields.items():
            setattr(dataset, name, value)
        dataset.save()
    return int(moved)
