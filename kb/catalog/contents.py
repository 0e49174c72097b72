"""A record's JSON, compressed, as changes and shadowed copies keep it."""

from __future__ import annotations

import threading

import zstandard

from kb.records.decode import decode_record
from kb.records.encode import encode_json
from kb.records.record import Record

__all__ = ["pack", "unpack", "unpack_json"]

_MOST = 16 * 1024 * 1024
_local = threading.local()


def pack(record: Record) -> bytes:
    """The record as compressed JSON."""
    compressor: zstandard.ZstdCompressor | None = getattr(_local, "compressor", None)
    if compressor is None:
        compressor = _local.compressor = zstandard.ZstdCompressor(level=3)
    return compressor.compress(encode_json(record))


def unpack_json(content: bytes | memoryview) -> bytes:
    """The JSON of a record that was packed. Raises ``zstandard.ZstdError`` when the content is damaged."""
    return zstandard.ZstdDecompressor().decompress(bytes(content), max_output_size=_MOST)


def unpack(content: bytes | memoryview) -> Record:
    """The inverse of :func:`pack`. Raises ``ValueError`` when the content is damaged."""
    decoded = decode_record(unpack_json(content))
    if decoded.record is None:
        message = f"a stored copy is damaged: {decoded.problems}"
        raise ValueError(message)
    return decoded.record
