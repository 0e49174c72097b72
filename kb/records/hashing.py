"""Fingerprints of a record's content: equal when two records say the same, whatever the key order or white space.

128 bits of BLAKE2b over canonical JSON (sorted keys, compact, UTF-8); no defence against a publisher who wants two
records to collide. Stored in the catalog: changing anything here makes every record look changed once.
"""

from __future__ import annotations

import hashlib
import re

import msgspec

from kb.records.encode import encode
from kb.records.record import Record

__all__ = ["content_hash", "substance_hash"]

_encoder = msgspec.json.Encoder(order="sorted")
_COMMIT_IN_LINK = re.compile(r"/[0-9a-f]{7,64}(?=[/#?]|\Z)")
_ANALYSIS = ("analyzedAt", "analyzedSha", "contentChangedAt")


def content_hash(record: Record) -> str:
    """32 hex digits over every field, unknown ones included; absent and null differ."""
    return _digest(encode(record))


def substance_hash(record: Record) -> str:
    """32 hex digits over what the record says: the times and the commit of its analysis do not count.

    The line numbers do, also those in the link.
    """
    fields = encode(record)
    for name in _ANALYSIS:
        fields.pop(name, None)
    fields["githubUrl"] = _COMMIT_IN_LINK.sub("/", record.github_url, count=1)
    return _digest(fields)


def _digest(fields: dict[str, object]) -> str:
    return hashlib.blake2b(_encoder.encode(fields), digest_size=16).hexdigest()
