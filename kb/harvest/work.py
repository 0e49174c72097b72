"""What other processes do in a harvest: read some files, and make the records of a package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import zstandard

from kb.harvest.facts import ModuleFacts
from kb.harvest.gate import GateReport
from kb.harvest.packages import Origin, PackageFacts
from kb.harvest.reading import read_module
from kb.harvest.records import records_of

__all__ = ["Assignment", "Composed", "Composition", "Row", "compose", "pack_rows", "read_batch", "unpack_rows"]

_LEVEL = 1
_MOST_BYTES = 2**32


class Assignment(msgspec.Struct, frozen=True, array_like=True):
    """A file to read: where it is, whose it is, and its path there."""

    path: str
    package: str
    relative: str


class Composition(msgspec.Struct, frozen=True):
    """A package to make records of; the facts of each module as MessagePack; the names that can be imported beside."""

    origin: Origin
    modules: tuple[bytes, ...]
    available: frozenset[str] = frozenset()


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A record as JSON, with what it is told apart by."""

    id: str
    slug: str
    raw: bytes


class Composed(msgspec.Struct, frozen=True):
    """The records of a package, packed, and how many they are; what became of its sites; the files that could not be
    read, and why. ``imports`` are the top-level names that the package imports, ``available`` those of them that the
    records were made to use.
    """

    packed: bytes = b""
    count: int = 0
    gate: GateReport = GateReport()
    unread: tuple[tuple[str, str], ...] = ()
    imports: frozenset[str] = frozenset()
    available: frozenset[str] = frozenset()


def read_batch(batch: tuple[Assignment, ...]) -> list[bytes]:
    """The facts of some files as MessagePack, in their order. Never raises for what is in a file."""
    return [_encoded(read_module(Path(file.path), package=file.package, relative=file.relative)) for file in batch]


def compose(job: Composition) -> Composed:
    """The records of a package."""
    decode = msgspec.msgpack.Decoder(ModuleFacts).decode
    modules = tuple(decode(module) for module in job.modules)
    unread = tuple((module.relative, module.problem) for module in modules if module.problem)
    imports = frozenset(name.partition(".")[0] for module in modules for _, name in module.imports)
    available = imports & job.available  # no more, so that what else is installed changes nothing
    records, report = records_of(PackageFacts(origin=job.origin, modules=modules), available=available)
    encode = msgspec.json.Encoder().encode
    rows = [Row(record["id"], record["slug"], encode(record)) for record in records]
    return Composed(
        packed=pack_rows(rows), count=len(rows), gate=report, unread=unread, imports=imports, available=available
    )


def _encoded(facts: ModuleFacts) -> bytes:
    try:
        return msgspec.msgpack.encode(facts)
    except UnicodeEncodeError:  # a literal such as "\\ud800", which is no text that could be stored
        return msgspec.msgpack.encode(_storable(msgspec.to_builtins(facts)))


def _storable(value: Any) -> Any:
    """The value with U+FFFD for each lone surrogate."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {name: _storable(item) for name, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list | tuple) else value


def pack_rows(rows: list[Row]) -> bytes:
    """Rows in the little memory that many packages leave for each."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(rows))


def unpack_rows(packed: bytes) -> list[Row]:
    """The rows again."""
    if not packed:
        return []
    raw = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_MOST_BYTES)
    return msgspec.msgpack.decode(raw, type=list[Row])
