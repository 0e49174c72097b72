"""Which media type an answer has, chosen by the header ``Accept`` with its weights (RFC 9110, section 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from django.http.request import MediaType

__all__ = ["JSON", "MARKDOWN", "NDJSON", "OPENAPI", "choose"]

JSON = "application/json"
MARKDOWN = "text/markdown"
NDJSON = "application/x-ndjson"
OPENAPI = "application/vnd.oai.openapi+json"
_LONGEST = 2_000  # characters of the header that are read: no browser sends a tenth of that


def choose(accept: str, offered: Sequence[str]) -> str | None:
    """The one of ``offered``, best first, that ``accept`` likes most; ``None`` when it likes none.

    Without the header, or with one that names nothing readable, everything is liked. A range that cannot be read is
    ignored.
    """
    if accept in {"", "*/*", offered[0]}:
        return offered[0]
    ranges = [MediaType(part.strip()) for part in accept[:_LONGEST].split(",") if "/" in part]
    if not ranges:
        return offered[0]
    weighed = [(_weight(ranges, media_type), -place, media_type) for place, media_type in enumerate(offered)]
    weight, _, media_type = max(weighed)
    return media_type if weight > 0 else None


def _weight(ranges: list[MediaType], media_type: str) -> float:
    """The weight of the most specific range that covers ``media_type``; 0 when none does."""
    covering = [found for found in ranges if _covers(found, media_type)]
    return max(covering, key=_specificity).quality if covering else 0.0


def _covers(found: MediaType, media_type: str) -> bool:
    main, _, sub = media_type.partition("/")
    return found.main_type in {main, "*"} and found.sub_type in {sub, "*"} and not _foreign_parameters(found)


def _foreign_parameters(found: MediaType) -> bool:
    """Whether a range asks for a variant that is not ours: everything is UTF-8."""
    return any(
        name not in {"q", "charset"} or (name == "charset" and str(value).lower() not in {"utf-8", "utf8"})
        for name, value in found.params.items()
    )


def _specificity(found: MediaType) -> int:
    return (found.main_type != "*") + (found.sub_type != "*")
