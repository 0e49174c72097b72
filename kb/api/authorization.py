"""Keys of clients: ``Authorization: Bearer …``. Reading is for everybody; what has to do with writing needs a key."""

from __future__ import annotations

from datetime import UTC, datetime

from django.http import HttpRequest

from kb.api.problems import Problem
from kb.catalog import queries
from kb.catalog.work_answers import ApiKeyView

__all__ = ["SCHEME", "authorize"]

SCHEME = "apiKey"  # its name in the OpenAPI document
_CHALLENGE = 'Bearer realm="Faultbook"'


def authorize(request: HttpRequest, scope: str) -> ApiKeyView:
    """The key of a request that may do what ``scope`` says. One query.

    Raises :class:`Problem`: ``key_required`` without a key that is valid now, ``forbidden`` for one without the scope.
    """
    scheme, _, text = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or not text.strip():
        raise _required("Send a key in the header Authorization, as: Bearer KEY.", _CHALLENGE)
    key = queries.key_of(text.strip())
    state = key.state(datetime.now(UTC)) if key else "unknown"
    if key is None or state != "valid":
        raise _required(f"This key is {state}.", f'{_CHALLENGE}, error="invalid_token"')
    if scope not in key.scopes:
        raise Problem("forbidden", f"This key lacks the scope {scope}.")
    return key


def _required(detail: str, challenge: str) -> Problem:
    return Problem("key_required", detail, headers={"WWW-Authenticate": challenge})
