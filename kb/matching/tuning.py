"""Every weight, limit and threshold of matching, with the reason where it is not plain."""

from __future__ import annotations

from typing import Final

# -- Limits: what a text may cost --------------------------------------------------------------------------------------

MAX_TEXT: Final = 256 * 1024
"""Bytes (UTF-8) of one text over HTTP (decisions 17)."""

MAX_TEXTS: Final = 100
"""Texts in one call."""

MAX_FAULTS: Final = 40
"""Faults of one text that are looked up; a log holds many, a report shows few."""
