"""Points in time."""

from __future__ import annotations

import datetime as dt

import pytest

from kb.records.timestamps import parse_timestamp


@pytest.mark.parametrize(
    ("text", "microsecond"),
    [
        ("2026-08-28T05:10:05Z", 0),
        ("2026-08-28T05:10:05.9Z", 900_000),
        ("2026-08-28T05:10:05.995Z", 995_000),
        ("2026-08-28T05:10:05.995123456Z", 995_123),
        ("2026-08-28T05:10:05+00:00", 0),
    ],
)
def test_utc_with_or_without_fractions_is_a_time(text, microsecond):
    assert parse_timestamp(text) == dt.datetime(2026, 8, 28, 5, 10, 5, microsecond, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-08-28",
        "2026-08-28T05:10Z",
        "2026-08-28 05:10:05Z",
        "2026-08-28T05:10:05",
        "2026-08-28T05:10:05z",
        "2026-08-28T05:10:05+02:00",
        "2026-08-28T05:10:05.Z",
        "2026-08-28T05:10:05Z\n",
        "2026-06-31T05:10:05Z",
        "2026-02-29T05:10:05Z",
        "2026-08-28T24:10:05Z",
        "2026-08-28T05:10:61Z",
        "0000-01-01T00:00:00Z",
        "２０２６-08-28T05:10:05Z",
    ],
)
def test_anything_else_is_none(text):
    assert parse_timestamp(text) is None
