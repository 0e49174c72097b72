"""Families, codes, classes and tags, with counts kept by each publication, and the articles about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from kb.catalog.answers import ArticleView, ListOrder, Page, Term, TermKind, TermSort
from kb.catalog.cursors import signature
from kb.catalog.keysets import Place, SortKey, keyset_page
from kb.catalog.models import CLUSTER_KEY_LENGTH, FAMILY_LENGTH, Article
from kb.catalog.models import Term as TermModel
from kb.records.text import fold

__all__ = ["article_for", "term", "terms", "top_terms"]


def _view(row: TermModel) -> Term:
    kind = next(known for known in get_args(TermKind) if known == row.kind)
    return Term(
        kind=kind,
        key=row.key,
        label=row.label,
        record_count=row.record_count,
        repository_count=row.repository_count,
    )


_BY_NAME: Final[ListOrder[TermSort]] = ListOrder("name")
_KEYS: Final[Mapping[TermSort, SortKey]] = {
    "name": SortKey(column="folded", tie="key"),
    "records": SortKey(column="record_count", tie="key", down=True, kind=int),
    "repositories": SortKey(column="repository_count", tie="key", down=True, kind=int),
}


def terms(
    kind: TermKind,
    *,
    cursor: str | None = None,
    limit: int = 100,
    prefix: str = "",
    order: ListOrder[TermSort] = _BY_NAME,
) -> Page[Term]:
    """Terms of a kind by folded label or in another order; ``prefix`` is the beginning of the label.

    At most two queries, one on the first page. Raises ``BadCursor``.
    """
    chosen = TermModel.objects.filter(kind=kind)
    if prefix:
        chosen = chosen.filter(folded__startswith=fold(prefix)[:FAMILY_LENGTH])
    place = Place(mark=signature("terms", kind, prefix, order), cursor=cursor, limit=limit)
    found, following = keyset_page(chosen, _KEYS[order.by], place, reverse=order.reverse)
    return Page(items=tuple(map(_view, found)), next=following)


def top_terms(kind: TermKind, limit: int) -> tuple[Term, ...]:
    """The terms of a kind with the most current records. One query."""
    rows = TermModel.objects.filter(kind=kind).order_by("-record_count", "key")
    return tuple(map(_view, rows[:limit]))


def term(kind: TermKind, key: str) -> Term | None:
    """The term with this key. One query."""
    row = TermModel.objects.filter(kind=kind, key=key).first()
    return _view(row) if row else None


def article_for(kind: TermKind, label: str) -> ArticleView | None:
    """The background article about a term, of the dataset first in rank. One query.

    An article names its subject in ``clusterKey``: ``code:X``, ``class:X``, or a family as it is.
    """
    cluster = label if kind == "family" else f"{kind}:{label}"
    rows = Article.objects.filter(cluster_key=cluster[:CLUSTER_KEY_LENGTH])
    ordered = rows.order_by("-dataset__trusted", "-dataset__priority", "dataset__name", "slug")
    # The column is cut to its length, so it is the content that says whether the article is about this term.
    row = next((row for row in ordered if row.content.get("clusterKey") == cluster), None)
    if row is None:
        return None
    content = row.content
    return ArticleView(
        slug=row.slug,
        title=content.get("title", ""),
        summary=content.get("summary", ""),
        background=content.get("background", ""),
        common_causes=tuple(
            (cause.get("cause", ""), cause.get("detail", "")) for cause in content.get("commonCauses", ())
        ),
        fixes=tuple(content.get("fixes", ())),
        error_ids=tuple(content.get("errorIds", ())),
        cluster_key=content.get("clusterKey", ""),
        generated_at=content.get("generatedAt", ""),
    )
