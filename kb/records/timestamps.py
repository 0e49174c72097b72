"""Points in time as datasets write them: ISO 8601 in UTC, with or without fractions of a second.

The catalog keeps the text as written and compares by the parsed value.
"""

from __future__ import annotations

import datetime as dt
import re

__all__ = ["TIMESTAMP_PATTERN", "parse_timestamp"]

TIMESTAMP_PATTERN = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,12})?(?:Z|\+00:00)"

_TIMESTAMP = re.compile(TIMESTAMP_PATTERN)


def parse_timestamp(text: str) -> dt.datetime | None:
    """The time in UTC, cut to microseconds; None when the text is not a UTC timestamp or names no real day or hour."""
    if _TIMESTAMP.fullmatch(text) is None:
        return None
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        return None
