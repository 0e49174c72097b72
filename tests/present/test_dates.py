"""Dates as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from kb.present import dates

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW)


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("2026-11-30T23:59:59Z", "today"),
        ("2026-11-30T00:00:00Z", "today"),
        ("2026-11-29T23:59:59Z", "yesterday"),
        ("2026-11-29", "yesterday"),
        ("2026-11-28", "2 days ago"),
        ("2026-11-17", "13 days ago"),
        ("2026-11-16", "2 weeks ago"),
        ("2026-10-02", "8 weeks ago"),
        ("2026-10-01", "8 weeks ago"),
        ("2026-09-30", "8 weeks ago"),
        ("2026-09-29", "2 months ago"),
        ("2026-08-28T05:10:00Z", "3 months ago"),
        ("2025-11-30", "12 months ago"),
        ("2024-12-01", "23 months ago"),
        ("2024-11-30", "2 years ago"),
        ("1999-01-01", "27 years ago"),
        ("2026-12-01", ""),
        ("soon", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_how_long_ago_is_told_in_whole_days(then: str | None, told: str) -> None:
    assert dates.ago(then) == told


def test_other_time_zones_count_by_utc() -> None:
    east = datetime(2026, 11, 30, 1, 0, tzinfo=timezone(timedelta(hours=5)))
    assert dates.ago(east) == "yesterday"
    assert dates.minute(east) == "29 Nov 2026, 20:00 UTC"


def test_the_markup_holds_the_moment_for_programs() -> None:
    assert dates.day_html("2026-08-28T05:10:00.000Z") == (
        '<time datetime="2026-08-28T05:10:00Z">28 Aug 2026</time> <span class="ago">3 months ago</span>'
    )
    assert dates.moment_html("2026-12-01T05:10:00Z") == (
        '<time datetime="2026-12-01T05:10:00Z">1 Dec 2026, 05:10 UTC</time>'
    )


def test_what_is_no_date_is_printed_harmlessly() -> None:
    assert dates.day_html("<b>soon</b>") == "&lt;b&gt;soon&lt;/b&gt;"
    assert "\u202e" not in dates.day_html("soon\u202e")
    assert dates.day_html(None) == ""
