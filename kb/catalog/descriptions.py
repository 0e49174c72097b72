"""What a dataset says besides its records: of repositories, in background articles, and of itself.

Each function writes only what differs, and tells how much that was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from kb.catalog.models import CLUSTER_KEY_LENGTH, Dataset, Repository
from kb.catalog.models import Article as ArticleRow
from kb.catalog.rows import folded_name
from kb.records.documents import Article, RepositoryInfo, encode_article

__all__ = ["create_repository", "store_articles", "store_dataset", "store_priority", "store_repositories"]

Ranks = Mapping[int, tuple[int, str]]


def create_repository(name: str, *, analyzed_sha: str, analyzed_at: str) -> None:
    """A repository that only its records tell of."""
    folded = folded_name(name)
    Repository.objects.create(full_name=name, folded_name=folded, analyzed_sha=analyzed_sha, analyzed_at=analyzed_at)


def store_priority(dataset: Dataset, priority: int | None) -> bool:
    """Gives the dataset a priority; whether that changed it. ``None`` leaves it as it is."""
    if priority is None or dataset.priority == priority:
        return False
    dataset.priority = priority
    dataset.save(update_fields=["priority"])
    return True


def store_repositories(infos: Sequence[RepositoryInfo], *, dataset: Dataset, ranks: Ranks) -> set[str]:
    """Stores descriptions of repositories, except over those of a dataset of higher rank; the names that changed."""
    names = [info.repo for info in infos]
    known: dict[str, Repository] = {}
    for start in range(0, len(names), 500):
        known.update(
            (row.full_name, row) for row in Repository.objects.filter(full_name__in=names[start : start + 500])
        )
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
        for name, value in fields.items():
            setattr(row, name, value)
        row.save()
        changed.add(row.full_name)
    return changed


def store_articles(articles: Iterable[Article], *, dataset: Dataset, complete: bool) -> int:
    """Stores background articles; with ``complete`` those that are gone are deleted. How many changed."""
    held = dict(ArticleRow.objects.filter(dataset=dataset).values_list("slug", "content_hash"))
    seen, changed = set(), 0
    for article in articles:
        seen.add(article.slug)
        content = encode_article(article)
        digest = hashlib.blake2b(msgspec.json.encode(content, order="deterministic"), digest_size=16).hexdigest()
        if held.get(article.slug) == digest:
            continue
        fields = {"cluster_key": article.cluster_key[:CLUSTER_KEY_LENGTH], "content_hash": digest, "content": content}
        ArticleRow.objects.update_or_create(dataset=dataset, slug=article.slug, defaults=fields)
        changed += 1
    gone = set(held) - seen if complete else set()
    if gone:
        ArticleRow.objects.filter(dataset=dataset, slug__in=gone).delete()
    return changed + len(gone)


def store_dataset(dataset: Dataset, *, version: str, complete: bool, source: str) -> int:
    """Stores version, kind and source of a dataset; 1 if the version changed, which pages show, else 0.

    A partial source never takes the version back.
    """
    version = (version or dataset.version if complete else max(version, dataset.version))[:64]
    moved = dataset.version != version
    fields = {"version": version, "complete": complete, "source": source}
    if any(getattr(dataset, name) != value for name, value in fields.items()):
        for name, value in fields.items():
            setattr(dataset, name, value)
        dataset.save()
    return int(moved)
