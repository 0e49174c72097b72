"""Absolute addresses for canonical links, sitemaps and answers that leave the site."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

__all__ = ["base_url"]


def base_url(request: HttpRequest) -> str:
    """The site's address without its last slash: the configured one, else the one of the request, else nothing."""
    if settings.KB_BASE_URL:
        return str(settings.KB_BASE_URL)
    try:
        return f"{request.scheme}://{request.get_host()}"
    except DisallowedHost:
        return ""
