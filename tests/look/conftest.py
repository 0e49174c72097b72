"""The catalog of the page tests behind a real server, with the records that no layout was drawn for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client, override_settings

from tests.look.page_kinds import EXTREMES
from tests.look.pictures import Album
from tests.web.conftest import catalog as small_catalog
from tests.web.conftest import get, served, site

__all__ = ["get", "served", "site", "small_catalog"]


@pytest.fixture(scope="module")
def catalog(small_catalog: Path, django_db_blocker: Any, project_root: Path) -> Path:
    """The catalog for the tests of a file, the longest records included; the directory of its index."""
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import

    longest = project_root / "fixtures" / "datasets" / EXTREMES
    with django_db_blocker.unblock(), override_settings(KB_INDEX_DIR=small_catalog):
        if sources := sorted(longest.glob("*.json*")):
            report = run_import(sources, ImportOptions(dataset=EXTREMES))
            assert report.outcome == "published", report.error
    return small_catalog


@pytest.fixture(scope="module")
def extremes(catalog: Path, django_db_blocker: Any) -> tuple[str, ...]:
    """The addresses of the longest records."""
    from kb.catalog.models import Record

    with django_db_blocker.unblock():
        found = Record.objects.filter(dataset__name=EXTREMES).order_by("id").values_list("id", flat=True)
        return tuple(f"/e/{record_id}" for record_id in found)


@pytest.fixture(scope="module")
def findings(catalog: Path, django_db_blocker: Any) -> tuple[str, ...]:
    """The address of a page on a finding, and of the page on its records in one repository."""
    with django_db_blocker.unblock(), override_settings(KB_INDEX_DIR=catalog):
        finding = _link("/quality/", r"/quality/[^/]+/")
        return finding, _link(finding, r"/quality/[^/]+/[^/]+/[^/]+/")


def _link(page: str, shape: str) -> str:
    found = re.search(rf'href="({shape})"', Client().get(page).content.decode())
    assert found, page
    return found[1]


@pytest.fixture(scope="session")
def album(project_root: Path, soak: bool) -> Iterator[Album]:
    """Where pictures go: ``var/pictures`` with the full counts, nowhere else."""
    taken = Album(project_root / "var" / "pictures" if soak else None)
    yield taken
    taken.write_sheets()


@pytest.fixture(scope="module")
def staff(catalog: Path, django_db_blocker: Any) -> str:
    """The session of somebody who may see the pages for staff, in the same database as the catalog."""
    with django_db_blocker.unblock():
        client = Client()
        client.force_login(get_user_model().objects.create_superuser("staff"))
        return client.cookies["sessionid"].value
