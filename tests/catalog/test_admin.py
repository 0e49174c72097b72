"""Django's admin: staff look, nobody edits."""

from __future__ import annotations

from typing import Any

import pytest

PLACES = ("release", "rejection", "record", "repository", "dataset", "catalogstate")


@pytest.fixture
def staff(import_records: Any, record: Any, admin_client: Any) -> Any:
    """A logged-in member of staff, and a catalog with one record and one rejection."""
    import_records(record(1), record(2, severity="awful"), rejected=1)
    return admin_client


@pytest.mark.parametrize("place", PLACES)
def test_lists_and_pages_open_and_offer_no_change(place: str, staff: Any) -> None:
    from django.apps import apps

    listing = staff.get(f"/admin/catalog/{place}/")
    assert listing.status_code == 200
    assert f"/admin/catalog/{place}/add/" not in listing.content.decode()
    row = apps.get_model("catalog", place).objects.first()
    page = staff.get(f"/admin/catalog/{place}/{row.pk}/change/")
    assert page.status_code == 200
    assert b'name="_save"' not in page.content
    assert staff.post(f"/admin/catalog/{place}/{row.pk}/change/", {"slug": "x"}).status_code == 403
    assert staff.post(f"/admin/catalog/{place}/{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert staff.get(f"/admin/catalog/{place}/add/").status_code == 403


def test_readers_are_sent_to_the_login(client: Any, db: None) -> None:
    response = client.get("/admin/catalog/release/")
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")
