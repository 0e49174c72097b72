"""Keys of clients that may write. A key is shown once, when it is made; kept is a digest of it.

A key has 256 random bits, so one round of SHA-256 is enough: nobody guesses what a table of digests could tell.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime, timedelta

from django.db import transaction

from kb.catalog.models import ApiKey
from kb.catalog.work_answers import ApiKeyView

__all__ = ["SCOPES", "api_keys", "create_key", "key_of", "note_use", "revoke_key"]

SCOPES = ("import",)
_LEAD = "fb"
_PREFIX_BYTES = 4
_SECRET_BYTES = 32
_FORM = re.compile(r"(fb_[0-9a-f]{8})_[A-Za-z0-9_-]{43}")


def create_key(name: str, *, scopes: tuple[str, ...], days: int | None) -> tuple[ApiKeyView, str]:
    """A new key, and its text, which nothing can tell again. Without ``days`` it never expires.

    Raises ``ValueError`` for a scope that is none of :data:`SCOPES`.
    """
    foreign = set(scopes) - set(SCOPES)
    if foreign or not scopes:
        raise ValueError(f"the scopes of a key are some of {', '.join(SCOPES)}")
    now = datetime.now(UTC)
    prefix = f"{_LEAD}_{secrets.token_hex(_PREFIX_BYTES)}"
    text = f"{prefix}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    row = ApiKey.objects.create(
        name=name,
        prefix=prefix,
        digest=_digest(text),
        scopes=list(scopes),
        created_at=now,
        expires_at=now + timedelta(days=days) if days is not None else None,
    )
    return _view(row), text


def api_keys() -> tuple[ApiKeyView, ...]:
    """All keys, the newest first. One query."""
    return tuple(map(_view, ApiKey.objects.order_by("-pk")))


def key_of(text: str) -> ApiKeyView | None:
    """The key with this text, expired and revoked ones too; ``None`` for any other text. One query at most."""
    form = _FORM.fullmatch(text)
    row = ApiKey.objects.filter(prefix=form[1]).first() if form else None
    if row is None or not hmac.compare_digest(row.digest, _digest(text)):
        return None
    return _view(row)


def note_use(key_id: int) -> None:
    """Notes that the key was used now. Only what writes anyway calls this."""
    ApiKey.objects.filter(pk=key_id).update(last_used_at=datetime.now(UTC))


def revoke_key(prefix: str) -> ApiKeyView | None:
    """Revokes the key with this prefix for good; ``None`` when there is none. A second time changes nothing."""
    with transaction.atomic():
        row = ApiKey.objects.select_for_update().filter(prefix=prefix).first()
        if row is None:
            return None
        if row.revoked_at is None:
            row.revoked_at = datetime.now(UTC)
            row.save(update_fields=["revoked_at"])
        return _view(row)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _view(row: ApiKey) -> ApiKeyView:
    names = ("id", "name", "prefix", "created_at", "expires_at", "revoked_at", "last_used_at")
    return ApiKeyView(scopes=tuple(row.scopes), **{name: getattr(row, name) for name in names})
