"""The search shards of a published layout: a static index that a client searches without reading all of it.

What stands where, and by which rules texts become tokens and tokens find their shard, is the publisher's layout: a
client computes the same and fetches one file for each of its tokens. All names and numbers here are of that contract.

- ``search/summary.json``: how much there is, and in how many parts
- ``search/meta/{k}.json``: the lines of the index, 2,000 in each file
- ``search/tokens/{hh}.json``: for each token its weight and the places of the lines that hold it
- ``search/norms.json``: for each line the length of its vector of weights
- ``search/codes.json``: for each error code the places of its lines
- ``search/ids/{hh}.json``: for each id the place of its line
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, TypeVar

import msgspec

from kb.imports.export.packing import ArrayWriter, Writer

__all__ = ["SUMMARY", "tokens_of", "write_shards"]

SUMMARY = "search/summary.json"
_TOKEN_SHARDS = 256
_META_CHUNK = 2_000
_WEIGHT_SCALE = 100
_STEP = 10_000  # numbers that are encoded at once

_T = TypeVar("_T")
_Open = Callable[[str], AbstractContextManager[Writer]]
_encode = msgspec.json.Encoder().encode


class _Line(msgspec.Struct):
    """What of a line of the index is looked for."""

    id: str
    code: str | None
    msg: str


_decode = msgspec.json.Decoder(_Line).decode

# --- texts to tokens --------------------------------------------------------------------------------------------------

# In this order; what they match becomes a space. Every part is linear in the text.
_DROPPED = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"/[\w./-]+",  # paths
        r"0x[0-9a-f]+",
        r"\b\d+\b",
        r"'[^']*'|\"[^\"]*\"",  # quoted values
        r"[^a-z ]+",
    )
)


def tokens_of(text: str) -> tuple[str, ...]:
    """The tokens of a message, each once, in the order in which they come."""
    text = text.lower()
    for pattern in _DROPPED:
        text = pattern.sub(" ", text)
    return tuple(dict.fromkeys(text.split()))


def _shard_of(token: str) -> int:
    """FNV-1a, 32 bits; tokens are ASCII."""
    value = 0x811C9DC5
    for byte in token.encode("ascii"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value % _TOKEN_SHARDS


def _rounded(value: float) -> int:
    """Halves go up, as they do where the shards are read."""
    return math.floor(value * _WEIGHT_SCALE + 0.5)


# --- writing ----------------------------------------------------------------------------------------------------------


def write_shards(lines: Iterable[bytes], file: _Open) -> None:
    """Writes the shards of the index that has these ``lines``, each a JSON object. ``file`` opens one by its path.

    Of all lines only numbers are held, some 70 bytes a line.
    """
    postings = _Postings()
    for number, chunk in enumerate(_chunks(lines, _META_CHUNK)):
        with file(f"search/meta/{number}.json") as stream:
            rows = ArrayWriter(stream)
            for line in chunk:
                rows.add(line)
                postings.add(_decode(line))
            rows.close()
    postings.write(file)


class _Postings:
    """Which lines hold which tokens, codes and ids."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # of tokens, as they come
        self._places: list[array[int]] = []  # for each token
        self._tokens = array("I")  # of all lines, one after the other
        self._ends = array("I")  # where the tokens of a line end
        self._codes: dict[str, array[int]] = {}
        self._ids = array("Q")

    def add(self, line: _Line) -> None:
        """The next line."""
        place = len(self._ids)
        self._ids.append(int(line.id, 16))
        for token in tokens_of(line.msg):
            number = self._numbers.setdefault(token, len(self._places))
            if number == len(self._places):
                self._places.append(array("I"))
            self._places[number].append(place)
            self._tokens.append(number)
        self._ends.append(len(self._tokens))
        if line.code:
            self._codes.setdefault(line.code, array("I")).append(place)

    def write(self, file: _Open) -> None:
        """Everything but the lines themselves."""
        count = len(self._ids)
        weights = array("d", (math.log((max(count, 1) + 1) / (len(places) + 1)) + 1 for places in self._places))
        with file("search/codes.json") as stream:
            _write_object(stream, ((code, places.tolist()) for code, places in self._codes.items()))
        with file("search/norms.json") as stream:
            _write_numbers(stream, self._norms(weights))
        for shard, names in enumerate(self._token_shards()):
            with file(f"search/tokens/{shard:02x}.json") as stream:
                _write_object(stream, (self._posting(name, weights) for name in names))
        for shard, places in enumerate(self._id_shards()):
            with file(f"search/ids/{shard:02x}.json") as stream:
                _write_object(stream, ((f"{self._ids[place]:016x}", place) for place in places))
        summary = {
            "entryCount": count,
            "tokenShards": _TOKEN_SHARDS,
            "metaChunk": _META_CHUNK,
            "weightScale": _WEIGHT_SCALE,
        }
        with file(SUMMARY) as stream:
            stream.write(_encode(summary) + b"\n")

    def _posting(self, token: str, weights: array[float]) -> tuple[str, list[Any]]:
        number = self._numbers[token]
        return token, [_rounded(weights[number]), self._places[number].tolist()]

    def _norms(self, weights: array[float]) -> Iterator[int]:
        start = 0
        for end in self._ends:
            total = 0.0
            for number in self._tokens[start:end]:
                total += weights[number] * weights[number]
            yield _rounded(math.sqrt(total))
            start = end

    def _token_shards(self) -> list[list[str]]:
        shards: list[list[str]] = [[] for _ in range(_TOKEN_SHARDS)]
        for token in self._numbers:
            shards[_shard_of(token)].append(token)
        return shards

    def _id_shards(self) -> list[array[int]]:
        shards = [array("I") for _ in range(_TOKEN_SHARDS)]
        for place, value in enumerate(self._ids):
            shards[value >> 56].append(place)
        return shards


def _write_object(stream: Writer, members: Iterable[tuple[str, Any]]) -> None:
    """A JSON object, one member on a line."""
    stream.write(b"{")
    between = b"\n"
    for name, value in members:
        stream.write(between + _encode(name) + b":" + _encode(value))
        between = b",\n"
    stream.write(b"}\n")


def _write_numbers(stream: Writer, numbers: Iterable[int]) -> None:
    stream.write(b"[")
    for step, some in enumerate(_chunks(numbers, _STEP)):
        stream.write((b",\n" if step else b"") + _encode(some)[1:-1])
    stream.write(b"]\n")


def _chunks(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """The items in lists of ``size``, of which the last may be shorter; one that is empty when there are none."""
    rest = iter(items)
    chunk = list(islice(rest, size))
    yield chunk
    while chunk := list(islice(rest, size)):
        yield chunk
