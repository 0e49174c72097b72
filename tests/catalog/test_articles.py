"""Articles are found by what they are about, however long its name is."""

from __future__ import annotations

import json
from typing import Any

import pytest

LENGTHS = (1, 100, 193, 194, 195, 199, 200, 201, 248, 249, 250, 251, 255, 256, 500)


def article(cluster: str, number: int) -> Any:
    from kb.records.documents import decode_article

    fields = {"slug": f"article-{number}", "clusterKey": cluster, "title": cluster[-40:], "schemaVersion": 1}
    value, problems = decode_article(json.dumps(fields).encode())
    assert value is not None, problems
    return value


@pytest.fixture
def store(db: None) -> Any:
    """Store articles as an import does: ``store(cluster, …, dataset=…)``."""
    from kb.catalog.descriptions import store_articles
    from kb.catalog.models import Dataset, Release
    from kb.catalog.undo import UndoLog

    def stored(*clusters: str, dataset: str = "local", priority: int = 0) -> None:
        holder, _ = Dataset.objects.get_or_create(name=dataset, defaults={"priority": priority})
        articles = [article(cluster, number) for number, cluster in enumerate(clusters)]
        undo = UndoLog(holder, Release(dataset=holder))
        assert store_articles(articles, dataset=holder, complete=True, undo=undo) == len(clusters)

    return stored


@pytest.mark.parametrize("kind", ["code", "class", "family"])
def test_an_article_is_found_whatever_the_length_of_its_name(store: Any, kind: str) -> None:
    from kb.catalog import queries

    labels = ["e" * length for length in LENGTHS]
    clusters = [label if kind == "family" else f"{kind}:{label}" for label in labels]
    store(*clusters)
    for label, cluster in zip(labels, clusters, strict=True):
        found = queries.article_for(kind, label)  # type: ignore[arg-type]
        assert found is not None
        assert found.cluster_key == cluster


def test_a_name_with_the_same_long_beginning_has_no_article_of_another(store: Any) -> None:
    from kb.catalog import queries

    store(f"code:{'e' * 300}-one", f"code:{'e' * 300}-two")
    for ending in ("one", "two"):
        found = queries.article_for("code", f"{'e' * 300}-{ending}")
        assert found is not None
        assert found.title.endswith(ending)
    assert queries.article_for("code", f"{'e' * 300}-three") is None
    assert queries.article_for("code", "e" * 250) is None


def test_the_dataset_of_the_highest_priority_speaks_first(store: Any) -> None:
    from kb.catalog import queries

    long = f"class:{'e' * 300}"
    for place, (name, priority) in enumerate((("b", 1), ("a", 1), ("z", 2), ("c", 0))):
        store(*(f"other-{number}" for number in range(place)), long, dataset=name, priority=priority)
        found = queries.article_for("class", "e" * 300)
        assert found is not None
        assert found.slug == ("article-0", "article-1", "article-2", "article-2")[place]
