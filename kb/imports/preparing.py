"""Raw records made ready for the catalog: decoded, validated, hashed, and prepared where the dataset lacks them.

Pure, and in bytes on both sides, so that it runs in other processes as well as here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Self

import msgspec

from kb.catalog.prepared import prepare
from kb.imports.parallel import Work
from kb.records.decode import Decoded, decode_record
from kb.records.encode import Fragments
from kb.records.hashing import content_hash
from kb.records.problems import Problem

__all__ = ["MAKER", "Held", "Outcome", "decode_outcomes", "encode_raws", "make_work", "prepare_here"]

MAKER = f"{__name__}:make_work"


class Held:
    """The content hashes of what a dataset holds, by id, in 24 bytes each."""

    def __init__(self, ids: array[int], digests: bytes) -> None:
        self._ids, self._digests = ids, digests

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> Self:
        """From (id, content hash) in the order of ids."""
        ids, digests = array("Q"), bytearray()
        for record_id, digest in rows:
            ids.append(int(record_id, 16))
            digests += bytes.fromhex(digest)
        return cls(ids, bytes(digests))

    def has(self, record_id: str, digest: str) -> bool:
        """Whether the dataset holds this record with this content."""
        number = int(record_id, 16)
        place = bisect_left(self._ids, number)
        if place == len(self._ids) or self._ids[place] != number:
            return False
        return self._digests[place * 16 : place * 16 + 16] == bytes.fromhex(digest)

    def to_bytes(self) -> bytes:
        """For :meth:`from_bytes`, on the same machine."""
        return _encode((self._ids.tobytes(), self._digests))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The inverse of :meth:`to_bytes`."""
        ids, digests = msgspec.msgpack.decode(data, type=tuple[bytes, bytes])
        return cls(array("Q", ids), digests)


class Outcome(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What became of one raw record.

    ``id`` and ``repo`` are given whenever they could be read. ``digest`` is the content hash, empty when the record was
    rejected. ``values`` and ``packed`` are of :class:`kb.catalog.prepared.Prepared`, ``None`` when the dataset holds
    the same already. The problems have no origin yet.
    """

    id: str | None
    repo: str | None
    slug: str = ""
    digest: str = ""
    values: bytes | None = None
    packed: bytes | None = None
    problems: tuple[Problem, ...] = ()
    unknown: tuple[str, ...] = ()


_encode = msgspec.msgpack.Encoder().encode
_raws = msgspec.msgpack.Decoder(list[bytes]).decode
_outcomes = msgspec.msgpack.Decoder(list[Outcome]).decode


def encode_raws(raws: Sequence[bytes]) -> bytes:
    """A job of the work."""
    return _encode(raws)


def decode_outcomes(answer: bytes) -> list[Outcome]:
    """What the work made of a job: one outcome for each raw record, in order."""
    return _outcomes(answer)


def make_work(greeting: bytes) -> Work:
    """The work on records of a dataset that holds what the greeting (:meth:`Held.to_bytes`) says."""
    held = Held.from_bytes(greeting)

    def work(job: bytes) -> bytes:
        return _encode([_finish(*_read(raw), held) for raw in _raws(job)])

    return work


def prepare_here(raws: Sequence[bytes], find_held: Callable[[Sequence[str]], Mapping[str, str]]) -> list[Outcome]:
    """The same at once in this process; ``find_held`` finds the content hashes that the dataset holds for some ids."""
    read = [_read(raw) for raw in raws]
    ids = sorted({decoded.record.id for decoded, _, _ in read if decoded.record is not None})
    held = Held.of(sorted(find_held(ids).items()) if ids else ())
    return [_finish(*row, held) for row in read]


def _read(raw: bytes) -> tuple[Decoded, str, Fragments | None]:
    decoded = decode_record(raw)
    record = decoded.record
    if record is None:
        return decoded, "", None
    fragments = None if record.extra else Fragments(record)
    return decoded, content_hash(record, fragments), fragments


def _finish(decoded: Decoded, digest: str, fragments: Fragments | None, held: Held) -> Outcome:
    record, problems, unknown = decoded.record, decoded.problems, tuple(sorted(decoded.unknown))
    if record is None:
        return Outcome(decoded.id, decoded.repo, problems=problems, unknown=unknown)
    values = packed = None
    if not held.has(record.id, digest):
        ready = prepare(record, digest=digest, fragments=fragments)
        values, packed = ready.to_bytes(), ready.packed
    return Outcome(record.id, record.repo, record.slug, digest, values, packed, problems, unknown)
