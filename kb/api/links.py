"""Absolute addresses of the API's answers."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

__all__ = ["API_ROOT", "DOCUMENTATION", "api_path", "base_url", "problem_anchor", "problem_type", "with_parameters"]

API_ROOT = "/api/v1/"
DOCUMENTATION = "/docs/api/"


def base_url(request: HttpRequest) -> str:
    """Scheme and host in front of every path that we hand out, without a last slash.

    It is the configured address of the site, else the one that the request came by; empty, which makes addresses
    relative, when the request names a host that this site does not answer to.
    """
    if settings.KB_BASE_URL:
        return str(settings.KB_BASE_URL)
    try:
        return f"{request.scheme}://{request.get_host()}"
    except DisallowedHost:
        return ""


def api_path(*parts: str) -> str:
    """The path of an endpoint below the API's root, with the slash at its end."""
    return API_ROOT + "".join(f"{quote(part, safe='')}/" for part in parts)


def with_parameters(path: str, parameters: dict[str, str | list[str]]) -> str:
    """``path`` with a query string; a list repeats its parameter."""
    return f"{path}?{urlencode(parameters, doseq=True)}" if parameters else path


def problem_anchor(code: str) -> str:
    """The id of a kind of problem on the reference page."""
    return f"problem-{code.replace('_', '-')}"


def problem_type(request: HttpRequest, code: str) -> str:
    """The address that explains a kind of problem, a place in the reference page."""
    return f"{base_url(request)}{DOCUMENTATION}#{problem_anchor(code)}"
