"""A record's JSON, compressed, as changes and shadowed copies keep it."""

from __future__ import annotations

import threading

import zstandard

from kb.records.decode import decode_record
from kb.records.encode import encode_json
from kb.records.record import Record

__all__ = ["pack", "pack_json", "unpack", "unpack_json"]

_MOST = 16 * 1024 * 1024
_LEVEL = 1  # a third less work than 3, for a hundredth more bytes
_local = threading.local()


def pack(record: Record) -> bytes:
    """The record as compressed JSON."""
    return pack_json(encode_json(record))


def pack_json(raw: bytes) -> bytes:
    """The JSON of a record, compressed."""
    compressor: zstandard.ZstdCompressor | None = getattr(_local, "compressor", None)
    if compressor is None:
        compressor = _local.compressor = zstandard.ZstdCompressor(level=_LEVEL)
    return compressor.compress(raw)


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
