"""From what a person gives for a record to the path that answers for it, slugs that moved included."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from kb.cli.references import path_of
from kb.cli.sites import Site
from kb.present import links

__all__ = ["record_paths"]

_OK: Final = 200
_MOST_STEPS: Final = 4


class _Named(Struct, frozen=True):
    id: str


class _Told(Struct, frozen=True):
    """A record, or a list of records."""

    id: str = ""
    records: tuple[_Named, ...] = ()


def record_paths(site: Site, reference: str) -> tuple[str, ...]:
    """The permanent paths of the records that ``reference`` names, none when the site has no such record.

    Several have one code. Raises ``CannotAsk``, and ``ValueError`` for what names no record at all.
    """
    path = path_of(reference)
    for _ in range(_MOST_STEPS):
        reply = site.get(path)
        if not reply.location:
            return tuple(map(links.short_path, _ids(reply.body))) if reply.status == _OK else ()
        path = urlsplit(reply.location).path.removeprefix(urlsplit(site.base_url).path)
        if not path.startswith("/"):
            return ()
    return ()


def _ids(body: bytes) -> tuple[str, ...]:
    """Of a record, or of a list of records with one code; none of anything else."""
    try:
        told = msgspec.json.decode(body, type=_Told)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ()
    return (told.id,) if told.id else tuple(row.id for row in told.records)
