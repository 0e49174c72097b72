"""Random histories of releases against a model of a few lines: the store and the model must tell the same."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.records.encode import encode

SLUGS = [f"slug-{number}" for number in range(4)]
RECORDS = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from(SLUGS), st.sampled_from(["info", "error"])),
    max_size=5,
    unique_by=(lambda row: row[0], lambda row: row[1]),
)
RELEASES = st.lists(st.tuples(st.sampled_from(["low", "high"]), st.booleans(), RECORDS), min_size=1, max_size=5)
PRIORITY = {"low": 0, "high": 5}


class Model:
    """What each dataset holds, and what is shown of it."""

    def __init__(self) -> None:
        self.held: dict[str, dict[str, dict[str, Any]]] = {"low": {}, "high": {}}
        self.shown: dict[str, dict[str, Any]] = {}
        self.known: set[str] = set()

    def owner(self, slug: str) -> str | None:
        return next((i for i, row in self.shown.items() if row["slug"] == slug), None)

    def take(self, dataset: str, records: list[dict[str, Any]], *, complete: bool) -> None:
        """One release. Raises ``Undecided`` where slugs of two datasets meet; those rules have tests of their own."""
        new = {row["id"]: row for row in records}
        gone = set(self.held[dataset]) - set(new) if complete else set()
        after = {name: dict(rows) for name, rows in self.held.items()}
        after[dataset].update(new)
        for record_id in gone:
            del after[dataset][record_id]
        shown = {**after["low"], **after["high"]}
        slugs = [row["slug"] for row in shown.values()]
        if len(set(slugs)) != len(slugs):
            raise Undecided
        self.held, self.shown = after, shown
        self.known |= set(shown)


class Undecided(Exception):
    """The model has no opinion."""


@settings(
    max_examples=400 if os.environ.get("KB_SOAK") == "1" else 12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(history=RELEASES)
@pytest.mark.django_db
def test_the_store_tells_what_the_model_tells(history: Any, run: Any, record: Any, tmp_path: Path) -> None:
    from django.db import transaction

    with transaction.atomic():
        _replay(history, run, record, tmp_path)
        transaction.set_rollback(True)


def _replay(history: Any, run: Any, record: Any, tmp_path: Path) -> None:
    from django.conf import settings as django_settings

    shutil.rmtree(django_settings.KB_INDEX_DIR, ignore_errors=True)
    model = Model()
    decided = True
    for dataset, complete, rows in history:
        records = [record(number, slug=slug, severity=severity) for number, slug, severity in rows]
        path = tmp_path / "release.json"
        path.write_text(json.dumps(records))
        report = run(path, dataset=dataset, priority=PRIORITY[dataset], complete=complete)
        assert report.outcome in {"published", "unchanged"}, report.error
        try:
            model.take(dataset, records, complete=complete)
        except Undecided:
            decided = False
        if decided:
            assert report.rejected == 0, report.rejections
            _compare(model)
        else:  # slugs of two datasets met; from here on only what must hold in any case
            _check_in_any_case()


def _check_in_any_case() -> None:
    from kb.catalog import models, queries
    from kb.catalog.contents import unpack

    views = {view.record.id: view for view in queries.iter_records()}
    living = {i: view for i, view in views.items() if view.retired_revision is None}
    owned = {view.record.slug for view in living.values()}
    assert len(owned) == len(living) == queries.state().records
    assert not any(view.record.slug.startswith("~") for view in views.values())
    held: dict[str, list[models.Holding]] = {}
    for row in models.Holding.objects.select_related("dataset"):
        held.setdefault(row.record_id, []).append(row)
    assert set(living) <= set(held)
    for record_id, rows in held.items():
        whole = [row for row in rows if row.content is not None]
        if record_id in living:
            assert [row.dataset.name for row in rows if row.content is None] == [living[record_id].dataset]
        else:  # it waits because each of its copies wants a slug that another record has
            assert whole == rows
            assert {unpack(row.content or b"").slug for row in whole} <= owned


def _compare(model: Model) -> None:
    from kb.catalog import models, queries
    from kb.catalog.contents import unpack
    from kb.search.engine import search

    views = list(queries.iter_records())
    living = {view.record.id: view for view in views if view.retired_revision is None}
    assert {i: encode(view.record) for i, view in living.items()} == model.shown
    assert {view.record.id for view in views} == model.known
    for row in models.Holding.objects.select_related("dataset"):
        held = model.held[row.dataset.name].pop(row.record_id)
        model.held[row.dataset.name][row.record_id] = held
        hidden = living[row.record_id].dataset != row.dataset.name
        assert (row.content is not None) == hidden
        if row.content is not None:
            assert encode(unpack(row.content)) == held
    assert models.Holding.objects.count() == sum(map(len, model.held.values()))
    state = queries.state()
    assert state.records == len(model.shown) == sum(row.record_count for row in queries.repositories().items)
    families = {row.label: row.record_count for row in queries.terms("family").items}
    assert families == ({"engine-failure": len(model.shown)} if model.shown else {})
    for record_id, row in model.shown.items():
        last = models.Change.objects.filter(record_id=record_id).order_by("-pk").first()
        assert last is not None
        assert encode(unpack(last.content)) == row
    if state.revision:
        found = search("", revision=state.revision, limit=100)
        assert {hit.id for hit in found.hits} == set(model.shown)
