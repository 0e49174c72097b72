"""Facts of records as columns, ordered by pattern, with the orders by class, code, path, message and id."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from kb.catalog.answers import MatchFact
from kb.matching.index.packing import Array, narrow, number_at, numbers_at, widen
from kb.matching.index.strings import Strings, Texts, halve, pack, unpack
from kb.matching.reading.folding import fold

__all__ = [
    "CLASS_PARTS",
    "PATH_PARTS",
    "Facts",
    "Gathered",
    "Rows",
    "merge_columns",
    "message_key",
    "table_arrays",
]

CLASS_PARTS: Final = ".:\\/$#"
PATH_PARTS: Final = "/\\"

_TABLES: Final = ("cls", "code", "path", "function", "repo", "language", "status")
"""Columns that hold the place of a string in a table of their own. An empty string stands for none."""
_NUMBERS: Final = {"line": 0xFFFFFFFF, "quality": 0xFF}
"""Columns of numbers from 0 to so many."""
_COUNTED: Final = ("id", "group", *_NUMBERS, "message")
_PACKED: Final = {"cls": CLASS_PARTS, "code": "", "path": PATH_PARTS}
_ORDERED: Final = ("cls", "code", "path")
_ID: Final = re.compile("[0-9a-f]{16}")
_NO_ROWS: Final = np.empty(0, dtype=np.int64)
_BETWEEN: Final = "\x02"
_FOLDED_TOGETHER: Final = 1_000
_TEXTS: Final = frozenset({"function"})
"""Tables that are never looked up in: they are written compressed."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What matching knows of a record. ``pattern`` is -1 when it has none; ``group`` is the id of the record that
    stands for its duplicates, its own when it has none; ``message_key`` is equal for equal messages.
    """

    row: int
    id: str
    pattern: int
    cls: str | None
    code: str | None
    path: str
    line: int | None
    function: str
    repo: str
    status: int | None
    language: str
    group: str
    retired: bool
    quality: int
    message_key: int


Tables = dict[str, Strings | Texts]
Columns = dict[str, Any]
"""``numbers`` and places by name, as arrays; ``pattern`` among them; and for each string column a :class:`Strings`."""


def message_key(message: str) -> int:
    """A number that equal messages have in common, in comparison form without their last dot."""
    return _key_of_folded(fold(message))


def _key_of_folded(folded: str) -> int:
    data = folded.strip(" ").rstrip(" .").encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=4).digest(), "little")


def _message_keys(messages: Sequence[str]) -> dict[str, int]:
    """The key of each of many messages. They are folded in one piece, which leaves what stands between them alone."""
    keys: dict[str, int] = {}
    for start in range(0, len(messages), _FOLDED_TOGETHER):
        some = messages[start : start + _FOLDED_TOGETHER]
        folded = fold(_BETWEEN.join(some)).split(_BETWEEN)
        if len(folded) != len(some):  # a message holds such a character itself
            folded = [fold(message) for message in some]
        keys.update(zip(some, map(_key_of_folded, folded), strict=True))
    return keys


class Gathered:
    """Facts as columns, some at a time, so that the facts themselves need not stay: of strings the different ones."""

    def __init__(self) -> None:
        self._places: dict[str, dict[Any, int]] = {name: {} for name in ("pattern", *_TABLES)}
        self._parts: dict[str, list[Array]] = {name: [] for name in ("pattern", *_TABLES, *_COUNTED)}

    def add(self, facts: Sequence[MatchFact]) -> None:
        """More facts, after those there are."""
        fields = dict(zip(MatchFact._fields, zip(*facts, strict=True), strict=True))
        parts: dict[str, Any] = {}
        for name, places in self._places.items():
            parts[name] = np.array([places.setdefault(value, len(places)) for value in fields[name]], dtype=np.uint32)
        keys = _message_keys(list(set(fields["message"])))
        parts["message"] = np.array([keys[message] for message in fields["message"]], dtype=np.int64)
        for name in ("id", "group"):
            parts[name] = np.frombuffer(bytes.fromhex("".join(fields[name])), dtype=">u8").astype(np.uint64)
        for name, most in _NUMBERS.items():
            parts[name] = np.array([min(max(value or 0, 0), most) for value in fields[name]], dtype=np.int64)
        for name, part in parts.items():
            self._parts[name].append(part)

    @property
    def patterns(self) -> list[str]:
        """The different patterns, sorted."""
        return sorted(filter(None, self._places["pattern"]))

    def columns(self, patterns: Mapping[str, int], none: int) -> tuple[Columns, Tables]:
        """The columns, with the numbers of their patterns and ``none`` for no pattern; and the tables of strings."""
        columns: Columns = {name: np.concatenate([_NO_ROWS, *self._parts[name]]) for name in _NUMBERS}
        columns["message"] = np.concatenate([_NO_ROWS, *self._parts["message"]])
        for name in ("id", "group"):
            columns[name] = np.concatenate([_NO_ROWS.astype(np.uint64), *self._parts[name]])
        columns["pattern"] = self._numbered("pattern", [patterns.get(text, none) for text in self._places["pattern"]])
        tables: Tables = {}
        for name in _TABLES:
            filed = ["" if value is None else str(value) for value in self._places[name]]
            if name in _PACKED:
                filed = [pack(text, _PACKED[name]) for text in filed]
            distinct = sorted(set(filed))
            places = {text: place for place, text in enumerate(distinct)}
            columns[name], tables[name] = self._numbered(name, [places[text] for text in filed]), Strings.of(distinct)
        return columns, tables

    def _numbered(self, name: str, numbers: Sequence[int]) -> Array:
        """A column whose values have other numbers now."""
        column = np.concatenate([_NO_ROWS, *self._parts[name]])
        now: Array = np.array(numbers, dtype=np.int64)[column]
        return now


def merge_columns(base: tuple[Columns, Tables], added: tuple[Columns, Tables]) -> tuple[Columns, Tables]:
    """The columns of both, one after the other. Strings that no row has any more are dropped."""
    columns: Columns = {}
    tables: Tables = {}
    for name in _TABLES:
        columns[name], tables[name] = _merge_strings(base[0][name], base[1][name], added[0][name], added[1][name])
    for name in (*_COUNTED, "pattern"):
        columns[name] = np.concatenate([base[0][name], added[0][name]])
    return columns, tables


def _merge_strings(
    first: Array, first_table: Strings | Texts, second: Array, second_table: Strings | Texts
) -> tuple[Array, Strings]:
    used = np.unique(first)
    known = first_table.all()
    kept = [known[place] for place in used.tolist()]
    more = second_table.all()
    merged = sorted({*kept, *more})
    places = {text: place for place, text in enumerate(merged)}
    moved = np.zeros(len(known), dtype=np.int64)
    moved[used] = [places[text] for text in kept]
    shifted = np.array([places[text] for text in more], dtype=np.int64)
    return np.concatenate([moved[first], shifted[second]]), Strings.of(merged)


def table_arrays(columns: Columns, tables: Tables, patterns: int) -> dict[str, Array]:
    """The arrays to write: columns ordered by pattern and id, each in the narrowest type, and the other orders."""
    order = np.lexsort((columns["id"], columns["pattern"]))
    ordered = {name: column[order] for name, column in columns.items()}
    ordered["group"] = _rows_of_ids(ordered["group"], ordered["id"])
    arrays = {f"row.{name}": narrow(ordered[name]) for name in (*_TABLES, *_COUNTED)}
    arrays["row.id"] = ordered["id"]  # these two wide even when there are few, so that they compare as they are
    arrays["row.message"] = ordered["message"].astype(np.uint32)
    for name in _ORDERED:
        places = np.argsort(ordered[name], kind="stable")
        if len(tables[name]) and not tables[name][0]:  # rows without a value are never asked for
            places = places[np.searchsorted(ordered[name], 1, sorter=places) :]
        arrays[f"order.{name}"] = narrow(places)
    arrays["pattern.rows"] = narrow(np.searchsorted(ordered["pattern"], np.arange(patterns + 1)))
    for name, strings in tables.items():
        table = Texts.of(strings.all()) if name in _TEXTS else strings
        arrays[f"{name}.blob"], arrays[f"{name}.offsets"] = table.blob, table.offsets
    return arrays


def _rows_of_ids(wanted: Array, ids: Array) -> Array:
    """The row of each id; where there is none, the place itself: such a record stands for itself."""
    if not ids.size:
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(ids, kind="stable")
    rows = order[np.minimum(np.searchsorted(ids, wanted, sorter=order), ids.size - 1)]
    return np.where(ids[rows] == wanted, rows, np.arange(ids.size))


def _tables_from(arrays: Mapping[str, Array]) -> dict[str, Strings | Texts]:
    return {
        name: (Texts if name in _TEXTS else Strings)(arrays[f"{name}.blob"], arrays[f"{name}.offsets"])
        for name in _TABLES
    }


def columns_from(arrays: Mapping[str, Array]) -> tuple[Columns, Tables]:
    """The columns and tables that were written, as they were before they were ordered."""
    columns: Columns = {name: widen(arrays[f"row.{name}"]) for name in (*_TABLES, *_COUNTED)}
    columns["group"] = columns["id"][columns["group"]]
    starts = widen(arrays["pattern.rows"])
    columns["pattern"] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(columns["id"]))))
    return columns, _tables_from(arrays)


class Rows:
    """The facts of an index, to be read one record at a time, and the orders to look records up by."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._tables = _tables_from(arrays)
        self.starts = arrays["pattern.rows"]
        self._columns = {name: arrays[f"row.{name}"] for name in (*_TABLES, *_COUNTED)}
        self._orders = {name: arrays[f"order.{name}"] for name in _ORDERED}

    def __len__(self) -> int:
        return len(self._columns["id"])

    def facts(self, row: int) -> Facts:
        """The facts of one record."""
        values = {name: number_at(column, row) for name, column in self._columns.items()}
        texts = {name: table[values[name]] for name, table in self._tables.items()}
        names = {name: unpack(texts[name], separators) for name, separators in _PACKED.items()}
        pattern = halve(len(self.starts), lambda place: number_at(self.starts, place) <= row) - 1
        return Facts(
            row=int(row),
            id=f"{values['id']:016x}",
            pattern=pattern if pattern < len(self.starts) - 1 else -1,
            cls=names["cls"] or None,
            code=names["code"] or None,
            path=names["path"],
            line=values["line"] or None,
            function=texts["function"],
            repo=texts["repo"],
            status=int(texts["status"]) if texts["status"] else None,
            language=texts["language"],
            group=f"{number_at(self._columns['id'], values['group']):016x}",
            retired=False,
            quality=values["quality"],
            message_key=values["message"],
        )

    def named(self, name: str, key: str, *, whole: bool = False) -> Array:
        """Rows whose class, code or path has a key that begins with ``key``, or is ``key`` if that is ``whole``."""
        table = self._tables[name]
        if not isinstance(table, Strings):
            return _NO_ROWS
        low, high = table.equal(key) if whole else table.starting(key)
        order, column = self._orders[name], self._columns[name]

        def place_of(bound: int) -> int:
            return halve(len(order), lambda place: number_at(column, number_at(order, place)) < bound)

        return np.sort(numbers_at(order, slice(place_of(low), place_of(high)))) if low < high else _NO_ROWS

    def with_message(self, key: int) -> Array:
        """Rows whose message has a key. One pass over them all, a fraction of a millisecond."""
        return np.flatnonzero(self._columns["message"] == key)

    def with_ids(self, ids: Iterable[str]) -> Array:
        """The rows of some records, one pass as above; what is no id has none."""
        wanted = [int(text, 16) for text in ids if _ID.fullmatch(text)]
        if len(wanted) == 1:
            return np.flatnonzero(self._columns["id"] == np.uint64(wanted[0]))
        return np.flatnonzero(np.isin(self._columns["id"], np.array(wanted, dtype=np.uint64)))

    def groups(self, rows: Array) -> Array:
        """All rows in the duplicate groups of some."""
        groups = widen(self._columns["group"])
        return np.flatnonzero(np.isin(groups, groups[rows]))

    def ids(self, rows: Array) -> list[str]:
        """The ids of some rows."""
        return [f"{key:016x}" for key in self._columns["id"][rows].tolist()]
