"""Cuts JSON into elements as it streams by, holding one element at a time.

Only the structure is looked at (strings, brackets, commas); what an element means is the decoder's business. Every byte
is looked at once, and one element may not be larger than a bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from kb.imports.refusals import Refusal
from kb.imports.sources.streams import ByteStream

__all__ = ["MOST_ELEMENT", "Oversized", "split_array", "split_lines"]

MOST_ELEMENT = 8 * 1024 * 1024  # decisions 14
_SMALL = 32 * 1024 * 1024
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_WHITE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_FLAT = rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+'
# A whole string, or a bracket, or a comma, or a quote whose string has not ended in the buffer yet. First of all, since
# records are like that, a whole object or array that holds none deeper than one level: what it holds need not be told
# apart. Nothing is taken back once it fits, so no input is looked at more than a few times.
_TOKEN = re.compile(
    rb"[\[{]" + _FLAT + rb"(?:[\[{]" + _FLAT + rb"[\]}]" + _FLAT + rb")*+[\]}]|" + _STRING + rb'|[\[\]{},]|"', re.DOTALL
)


class Oversized:
    """Stands for an element that is larger than the bound; ``size`` is how many bytes were passed over."""

    def __init__(self, size: int) -> None:
        self.size = size


def split_lines(stream: ByteStream, head: bytes = b"", *, first: int = 1) -> Iterator[tuple[int, bytes | Oversized]]:
    """(number, line) for each line that is not blank, numbered from ``first``; a line over the bound is passed over."""
    number, rest, skipped = first, head.removeprefix(_BOM), 0
    while True:
        chunk = stream.read()
        data = rest + chunk
        *lines, rest = data.split(b"\n")
        for line in lines:
            if skipped:
                yield number, Oversized(skipped + len(line))
                skipped = 0
            elif len(line) > MOST_ELEMENT:
                yield number, Oversized(len(line))
            elif line.strip():
                yield number, line
            number += 1
        if skipped or len(rest) > MOST_ELEMENT:
            skipped += len(rest)
            rest = b""
        if not chunk:
            break
    if skipped:
        yield number, Oversized(skipped)
    elif rest.strip():
        yield number, rest


def split_array(stream: ByteStream, head: bytes = b"") -> Iterator[tuple[int, bytes]]:
    """(number, element) for each element of one JSON array, numbered from 0.

    Raises ``Refusal``: not_json when the text is no array or does not end as one, too_large for an element over the
    bound. Elements themselves may still be broken JSON, that is for the decoder to say.
    """
    data, is_whole = _begin_whole(stream, head)
    if is_whole and (known := _whole_elements(data)) is not None:
        yield from _bounded(known, stream)
        return
    data = _begin(stream, data)
    if not data.startswith(b"["):
        raise Refusal("not_json", stream.origin, "the document is not a JSON array")
    buffer, number, ended = data[1:], 0, False
    while not ended:
        elements, buffer, ended, tail = _cut(buffer, may_be_empty=number == 0)
        for element in elements:
            yield number, element
            number += 1
        if ended:
            _expect_end(stream, tail)
            return
        if len(buffer) > MOST_ELEMENT:
            raise _too_large(stream, number)
        chunk = stream.read()
        if not chunk:
            raise Refusal("not_json", stream.origin, "the array does not end: the document stops early")
        buffer += chunk


def _begin_whole(stream: ByteStream, head: bytes) -> tuple[bytes, bool]:
    """The whole document if it is small, else the beginning of it."""
    parts, size = [head], len(head)
    while size <= _SMALL:
        chunk = stream.read()
        if not chunk:
            return b"".join(parts), True
        parts.append(chunk)
        size += len(chunk)
    return b"".join(parts), False


def _whole_elements(data: bytes) -> list[msgspec.Raw] | None:
    """The elements of a document that is there as a whole, in a tenth of the time; ``None`` for what is not quite JSON,
    which the careful way tells exactly.
    """
    try:
        return _ARRAY.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _bounded(elements: list[msgspec.Raw], stream: ByteStream) -> Iterator[tuple[int, bytes]]:
    for number, element in enumerate(elements):
        raw = bytes(element)
        if len(raw) > MOST_ELEMENT:
            raise _too_large(stream, number)
        yield number, raw


def _too_large(stream: ByteStream, number: int) -> Refusal:
    return Refusal("too_large", f"{stream.origin}[{number}]", f"one element is larger than {MOST_ELEMENT:,} bytes")


def _begin(stream: ByteStream, data: bytes) -> bytes:
    """The bytes from the first one on that is not white space; empty when there is none."""
    while len(data) < len(_BOM) and (chunk := stream.read()):
        data += chunk
    data = data.removeprefix(_BOM).lstrip(_WHITE)
    while not data and (chunk := stream.read()):
        data = chunk.lstrip(_WHITE)
    return data


def _cut(buffer: bytes, *, may_be_empty: bool) -> tuple[list[bytes], bytes, bool, bytes]:
    """The whole elements at the start of the buffer, the rest, whether the array ended, and what follows its end."""
    elements: list[bytes] = []
    depth = start = 0
    for match in _TOKEN.finditer(buffer):
        token = match.group()
        if len(token) > 1:
            continue
        if token == b'"':
            break
        if token in b"[{":
            depth += 1
        elif token == b"," and depth == 0:
            elements.append(buffer[start : match.start()])
            start = match.end()
        elif token in b"]}":
            depth -= 1
            if depth < 0:
                last = buffer[start : match.start()]
                if last.strip(_WHITE) or elements or not may_be_empty:
                    elements.append(last)
                return elements, b"", True, buffer[match.end() :]
    return elements, buffer[start:], False, b""


def _expect_end(stream: ByteStream, tail: bytes) -> None:
    while True:
        if tail.strip(_WHITE):
            raise Refusal("not_json", stream.origin, "there is more after the end of the array")
        tail = stream.read()
        if not tail:
            return
