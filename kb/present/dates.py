"""Dates for people: the day itself, and how long ago it was. Both in the language of the site, in UTC.

How long ago is told by whole days, so that a page stays the same all day long: entity tags hold the day.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from django.utils import timezone
from django.utils.dateformat import format as format_date
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from kb.present.invisible import visible_text
from kb.present.language import gettext, pgettext

__all__ = ["ago", "day", "day_html", "minute", "moment_html", "today"]

_DAYS_COUNTED = 14
_WEEKS_COUNTED = 62  # in days: two months at least
_MONTHS_COUNTED = 24


def today() -> date:
    """The day in UTC that pages speak of."""
    return timezone.now().astimezone(UTC).date()


def day(moment: str | datetime | None) -> str:
    """``28 Aug 2026`` for a moment or its ISO 8601 text; a text that is no date stays as it is."""
    read = _read(moment)
    if isinstance(read, str):
        return read
    # Translators: the form of a day, in the letters of Django's "date" filter: 28 Aug 2026.
    return format_date(read, pgettext("form of a date", "j M Y"))


def minute(moment: str | datetime | None) -> str:
    """``28 Aug 2026, 05:10 UTC`` for a moment or its ISO 8601 text; a text that is no date stays as it is."""
    read = _read(moment)
    if isinstance(read, str):
        return read
    # Translators: the form of a moment, in the letters of Django's "date" filter: 28 Aug 2026, 05:10 UTC.
    return format_date(read, pgettext("form of a date", r"j M Y, H:i \U\T\C"))


def ago(moment: str | datetime | None) -> str:
    """``3 months ago``, by whole days; empty for what is no date, or still to come."""
    read = _read(moment)
    if isinstance(read, str):
        return ""
    then, now = read.date(), today()
    days = (now - then).days
    if days < 0:
        return ""
    if days < _DAYS_COUNTED:
        return _days_ago(days)
    if days < _WEEKS_COUNTED:
        return ngettext("%(number)d week ago", "%(number)d weeks ago", days // 7) % {"number": days // 7}
    months = (now.year - then.year) * 12 + now.month - then.month - (now.day < then.day)
    if months < _MONTHS_COUNTED:
        return ngettext("%(number)d month ago", "%(number)d months ago", months) % {"number": months}
    return ngettext("%(number)d year ago", "%(number)d years ago", months // 12) % {"number": months // 12}


def day_html(moment: str | datetime | None) -> SafeString:
    """``<time>`` with the day, and how long ago that is in a ``<span class="ago">`` behind it."""
    return _html(moment, day(moment))


def moment_html(moment: str | datetime | None) -> SafeString:
    """The same with the minute."""
    return _html(moment, minute(moment))


def _days_ago(days: int) -> str:
    if days == 0:
        return gettext("today")
    if days == 1:
        return gettext("yesterday")
    return ngettext("%(number)d day ago", "%(number)d days ago", days) % {"number": days}


def _html(moment: str | datetime | None, shown: str) -> SafeString:
    read = _read(moment)
    if isinstance(read, str):
        return format_html("{}", shown)
    written = read.isoformat(timespec="seconds").replace("+00:00", "Z")
    relative = ago(read)
    behind = format_html(' <span class="ago">{}</span>', relative) if relative else ""
    return format_html('<time datetime="{}">{}</time>{}', written, shown, behind)


def _read(moment: str | datetime | None) -> datetime | str:
    if isinstance(moment, datetime):
        return moment.astimezone(UTC) if moment.tzinfo else moment
    try:
        return _read(datetime.fromisoformat(moment or ""))
    except ValueError:
        return visible_text(moment or "")
