"""Which current record took the place of a retired one. Called at the end of a publication, inside its transaction.

A successor is looked for in three ways, the surest first:

1. the same message in the same repository: the error moved to another file;
2. another message at the same place: the error was reworded, in the same file and by the same class or nearly the
   same words, and it arrived in this revision;
3. the same place and message under another repository: the repository was renamed.

A record that was retired before may find its successor later, when a record with its message arrives. Guesses are
never made from a place alone: a file has many errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from django.db import connection

from kb.catalog.fetching import fetch_keys, fetch_rows
from kb.catalog.renames import find_renames
from kb.records.messages import split_message
from kb.records.text import fold

__all__ = ["find_successors"]

_BATCH = 400
_MOST_ARRIVALS = 20_000  # with more, a whole dataset arrived and not a correction of one
_LEAST_SAID = 8  # letters and digits of a message beside its placeholders that tell it from others
_LONGEST_MESSAGE = 400  # characters of a message that are compared
_MOST_IN_A_FILE = 60  # candidates of one place
_ALIKE = 0.62  # likeness of messages that makes a rewording, by itself
_ALIKE_OF_CLASS = 0.4  # the same between errors of one class or code

_COLUMNS = (
    "id, repo, duplicate_key, place_key, error_class, error_code, error_message, file_path, line_number, error_type"
)
_RETIRED_NOW = (
    "SELECT c.record_id FROM catalog_change c JOIN catalog_record r ON r.id = c.record_id WHERE c.revision = %s"
    " AND c.record_id > %s AND c.kind = 'retired' AND r.retired_revision IS NOT NULL ORDER BY c.record_id LIMIT %s"
)
_RETURNED_NOW = (
    "UPDATE catalog_record SET successor = NULL WHERE successor IS NOT NULL AND retired_revision IS NULL AND id IN"
    " (SELECT record_id FROM catalog_change WHERE revision = %s AND kind = 'restored')"
)
_ARRIVED_NOW = (
    "SELECT record_id FROM catalog_change WHERE revision = %s AND record_id > %s AND kind IN ('added', 'restored')"
    " ORDER BY record_id LIMIT %s"
)


@dataclass(frozen=True)
class _Candidate:
    """What is compared of a record, in the order of the columns."""

    id: str
    repo: str
    duplicate_key: str
    place_key: str
    error_class: str | None
    error_code: str | None
    message: str
    file_path: str
    line: int | None
    error_type: str


def find_successors(revision: int, counts: Mapping[str, int]) -> int:
    """Names successors of the records that ``revision`` retired, and of earlier ones whose message came back in it.

    Takes the name away from records that are current again. ``counts`` are those of the revision by kind of change:
    what did not happen is not looked for. Returns how many were found.
    """
    if counts["restored"]:
        with connection.cursor() as cursor:
            cursor.execute(_RETURNED_NOW, (revision,))
    found = 0
    for ids in _ids(_RETIRED_NOW, revision) if counts["retired"] else ():
        retired = _records("id IN ({marks})", ids)
        successors = _moved(retired)
        left = [row for row in retired if row.id not in successors]
        successors |= _reworded(left, revision)
        found += _store(successors)
    if not 0 < counts["added"] + counts["restored"] <= _MOST_ARRIVALS or revision == 1:
        return found
    for ids in _ids(_ARRIVED_NOW, revision):
        found += _store(_returned(ids, revision))
    for successors in find_renames(revision):
        found += _store(successors)
    return found


def _ids(statement: str, revision: int) -> Iterator[list[str]]:
    """The ids that ``statement`` gives for a revision, some at a time."""
    after = ""
    while ids := fetch_keys(statement, (revision, after, _BATCH)):
        yield list(dict.fromkeys(ids))
        after = ids[-1]
        if len(ids) < _BATCH:
            return


def _records(condition: str, keys: Sequence[str], *more: object) -> list[_Candidate]:
    """Records that meet ``condition``, a constant of ours in which ``{marks}`` stands for the keys. One query."""
    if not keys:
        return []
    marks = ", ".join(["%s"] * len(keys))
    statement = f"SELECT {_COLUMNS} FROM catalog_record WHERE {condition.format(marks=marks)}"  # noqa: S608  our own words
    return [_Candidate(*row) for row in fetch_rows(statement, [*keys, *more])]


def _store(successors: Mapping[str, str]) -> int:
    rows = [(successor, record_id) for record_id, successor in sorted(successors.items())]
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE catalog_record SET successor = %s WHERE id = %s", rows)
    return len(rows)


# --- the same message in another file --------------------------------------------------------------------------------


def _moved(retired: Sequence[_Candidate]) -> dict[str, str]:
    keys = sorted({row.duplicate_key for row in retired})
    return _same_message(retired, _records("duplicate_key IN ({marks}) AND retired_revision IS NULL", keys))


def _same_message(retired: Iterable[_Candidate], living: Iterable[_Candidate]) -> dict[str, str]:
    by_message: dict[str, list[_Candidate]] = {}
    for row in living:
        by_message.setdefault(row.duplicate_key, []).append(row)
    found = {}
    for row in retired:
        others = [other for other in by_message.get(row.duplicate_key, ()) if _may_be(row, other)]
        if others:
            found[row.id] = min(others, key=lambda other: _distance(row, other)).id
    return found


def _may_be(row: _Candidate, other: _Candidate) -> bool:
    """Whether one message makes two records one error: not between codes, nor when it says nothing by itself."""
    if row.repo != other.repo or (row.error_code and other.error_code and row.error_code != other.error_code):
        return False
    return _speaks(row.message) or (row.error_code is not None and row.error_code == other.error_code)


@lru_cache(maxsize=1024)
def _speaks(message: str) -> bool:
    """Whether there is enough in a message beside its placeholders."""
    parts = split_message(message[:_LONGEST_MESSAGE])
    return sum(letter.isalnum() for part in parts if part.kind == "text" for letter in part.text) >= _LEAST_SAID


def _distance(row: _Candidate, other: _Candidate) -> tuple[bool, bool, bool, int, int, str]:
    """How far two records with one message are from each other; smaller is nearer, and every tie is broken."""
    mine, theirs = row.file_path.split("/"), other.file_path.split("/")
    shared = sum(one == two for one, two in zip(reversed(mine), reversed(theirs), strict=False))
    return (
        row.error_class != other.error_class,
        row.error_code != other.error_code,
        mine[-1] != theirs[-1],
        -shared,
        abs((row.line or 0) - (other.line or 0)),
        other.id,
    )


def _returned(arrived: Sequence[str], revision: int) -> dict[str, str]:
    """Records that were retired before and have no successor, whose message arrived now."""
    living = _records("id IN ({marks}) AND retired_revision IS NULL", arrived)
    keys = sorted({row.duplicate_key for row in living})
    waiting = "duplicate_key IN ({marks}) AND retired_revision < %s AND successor IS NULL"
    return _same_message(_records(waiting, keys, revision), living)


# --- another message at the same place -------------------------------------------------------------------------------


def _reworded(retired: Sequence[_Candidate], revision: int) -> dict[str, str]:
    keys = sorted({row.place_key for row in retired})
    new = "place_key IN ({marks}) AND retired_revision IS NULL AND first_revision = %s"
    by_place: dict[str, list[_Candidate]] = {}
    for row in _records(new, keys, revision):
        by_place.setdefault(row.place_key, []).append(row)
    pairs = []
    for row in retired:
        for other in by_place.get(row.place_key, ())[:_MOST_IN_A_FILE]:
            likeness = _likeness(row, other)
            if likeness:
                gap = abs((row.line or 0) - (other.line or 0))
                pairs.append((-likeness, gap, row.id, other.id))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, record_id, successor in sorted(pairs):
        if record_id not in found and successor not in taken:  # one rewording has one original
            found[record_id] = successor
            taken.add(successor)
    return found


def _likeness(row: _Candidate, other: _Candidate) -> float:
    """How alike two messages are, 0 when they are not enough so: errors of one class may differ more."""
    if row.error_type != other.error_type and row.error_class != other.error_class:
        return 0.0
    one, two = _words(row.message), _words(other.message)
    ratio = SequenceMatcher(None, one, two, autojunk=False).ratio()
    same = row.error_class is not None and (row.error_class, row.error_code) == (other.error_class, other.error_code)
    return ratio if ratio >= (_ALIKE_OF_CLASS if same else _ALIKE) else 0.0


def _words(message: str) -> list[str]:
    """The words of a message that say something; placeholders only say that there is one."""
    parts = split_message(message[:_LONGEST_MESSAGE])
    text = " ".join("\x01" if part.kind == "placeholder" else part.text for part in parts)
    return fold(text).split()
