"""Dates in templates, absolute with relative beside: ``{% day release.made %}`` and ``{% moment state.since %}``."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils.safestring import SafeString

from kb.present import dates

register = template.Library()


@register.simple_tag
def day(moment: str | datetime | None) -> SafeString:
    """``<time datetime="2026-08-28T05:10:00Z">28 Aug 2026</time> <span class="ago">3 months ago</span>``."""
    return dates.day_html(moment)


@register.simple_tag
def moment(moment: str | datetime | None) -> SafeString:
    """``<time datetime="2026-08-28T05:10:00Z">28 Aug 2026, 05:10 UTC</time> <span class="ago">3 months ago</span>``."""
    return dates.moment_html(moment)


@register.filter
def ago(moment: str | datetime | None) -> str:
    """``3 months ago``; empty for what is no date, or still to come."""
    return dates.ago(moment)
