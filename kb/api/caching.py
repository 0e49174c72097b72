"""Entity tags that are known before an answer is made.

A catalog answer is a function of the address, the representation and the revision. So its tag is made of the revision,
of the content hash where one record is shown, and of a digest of everything else that shapes the bytes; a request whose
tag still holds is answered without reading, rendering or encoding anything. The content hash follows from the others:
it is there for those who compare tags, and needs no look-up to confirm one. Answers that change without a new revision
are tagged by their bytes.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from django.http import HttpRequest

import kb

__all__ = ["CACHE_CONTROL", "VARY", "body_tag", "held_tag", "matches", "revision_tag", "variant"]

CACHE_CONTROL = "public, max-age=0, must-revalidate"
VARY = "Accept, Accept-Encoding"
_TAG = re.compile(r'(?:W/)?"([\x21\x23-\x7e\x80-\xff]*)"')


@cache
def _software() -> str:
    """A digest of what writes answers: after an upgrade no client keeps what the old program wrote."""
    total = hashlib.sha256()
    package = Path(kb.__file__).parent
    for room in ("api", "present", "records"):
        for path in sorted(package.glob(f"{room}/**/*.py")):
            total.update(path.read_bytes())
    return total.hexdigest()[:16]


def variant(*parts: str) -> str:
    """A digest of what shapes an answer beside its content: the catalog's version, the address, the media type."""
    text = "\0".join((_software(), *parts))
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def revision_tag(revision: int, shape: str, content_hash: str = "") -> str:
    """The strong tag of an answer made from ``revision`` in the given :func:`variant`."""
    return f'"r{revision}-{content_hash[:16]}-{shape}"' if content_hash else f'"r{revision}-{shape}"'


def held_tag(request: HttpRequest, revision: int, shape: str) -> str | None:
    """The client's tag of this revision and :func:`variant`, whatever its content hash; ``None`` when it has none."""
    start, end = f"r{revision}-", f"-{shape}"
    for found in _TAG.findall(request.META.get("HTTP_IF_NONE_MATCH", "")):
        plain = found.removesuffix("-gzip")
        if plain.startswith(start) and plain.endswith(end):
            return f'"{plain}"'
    return None


def body_tag(body: bytes) -> str:
    """The strong tag of an answer that is known by its bytes only."""
    return f'"b-{hashlib.blake2b(body, digest_size=16).hexdigest()}"'


def matches(request: HttpRequest, tag: str) -> bool:
    """Whether the client already holds what ``tag`` names: ``If-None-Match``, compared weakly as RFC 9110 asks.

    A proxy that compresses may have added a suffix such as ``-gzip`` to the tag, as Apache does, or made it weak.
    """
    header = request.META.get("HTTP_IF_NONE_MATCH", "")
    if not header:
        return False
    if header.strip() == "*":
        return True
    wanted = tag.strip('"')
    return any(found == wanted or found.removesuffix("-gzip") == wanted for found in _TAG.findall(header))
