"""The text to explain: a file or standard input, whole."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["MOST_BYTES", "decoded", "read_input"]

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of a longer text the end is read."""

_STEP: Final = 1024 * 1024
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_input(name: str) -> tuple[str, bool]:
    """The text of a file, or of standard input for ``-``, and whether its beginning was left out.

    On a terminal says how to end the input. Raises ``OSError``.
    """
    if name != "-":
        with Path(name).open("rb") as file:
            return _read(file)
    if sys.stdin.isatty():
        print("Paste the error, then press Enter and Ctrl-D.", file=sys.stderr)
    return _read(sys.stdin.buffer)


def _read(stream: BinaryIO) -> tuple[str, bool]:
    data, left_out = b"", False
    while piece := stream.read(_STEP):
        data += piece
        if len(data) > MOST_BYTES:
            data, left_out = data[-MOST_BYTES:], True
    return decoded(data), left_out


def decoded(data: bytes) -> str:
    """The text of bytes: UTF-8 unless a byte order mark says otherwise; what is no text becomes U+FFFD."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return data.decode("utf-8", "replace")
