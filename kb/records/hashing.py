"""Fingerprints of a record's content: equal when two records say the same, whatever the key order or white space.

128 bits of BLAKE2b over canonical JSON (sorted keys, compact, UTF-8); no defence against a publisher who wants two
records to collide. Stored in the catalog: changing anything here makes every record look changed once.
"""

from __future__ import annotations

import hashlib
import re

import msgspec

from kb.records.encode import Fragments, encode
from kb.records.record import Record

__all__ = ["content_hash", "substance_hash"]

_encoder = msgspec.json.Encoder(order="sorted")
_COMMIT_IN_LINK = re.compile(r"/[0-9a-f]{7,64}(?=[/#?]|\Z)")
_ANALYSIS = frozenset({"analyzedAt", "analyzedSha", "contentChangedAt"})


def content_hash(record: Record, fragments: Fragments | None = None) -> str:
    """32 hex digits over every field, unknown ones included; absent and null differ.

    ``fragments`` are the record's own, where they were made already.
    """
    if record.extra:
        return _digest(_encoder.encode(encode(record)))
    return _digest((fragments or Fragments(record)).sorted_document())


def substance_hash(record: Record, fragments: Fragments | None = None) -> str:
    """32 hex digits over what the record says: the times and the commit of its analysis do not count.

    The line numbers do, also those in the link. ``fragments`` are as in :func:`content_hash`.
    """
    link = _COMMIT_IN_LINK.sub("/", record.github_url, count=1)
    if not record.extra:
        return _digest((fragments or Fragments(record)).sorted_document(without=_ANALYSIS, changed={"githubUrl": link}))
    fields = {name: value for name, value in encode(record).items() if name not in _ANALYSIS}
    return _digest(_encoder.encode({**fields, "githubUrl": link}))


def _digest(document: bytes) -> str:
    return hashlib.blake2b(document, digest_size=16).hexdigest()
