"""Known messages in a log: every occurrence once, however the log is cut."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.catalog.answers import MatchFact
from kb.matching import sightings, windows
from kb.matching.index.build import build
from kb.matching.index.match_index import MatchIndex
from kb.matching.sightings import Piece, count_patterns, join

# In the order of the index's numbers.
PATTERNS = (
    "cannot open the gate because the guard sleeps",
    "connection to",
    "connection to (.+?) refused by peer",
    "connection to the moon was refused by peer",
    "disk (.+?) is full and cannot take (.+?) more",
    "the (engine|motor) has [0-9]+ faults",
    "the parcel is far too heavy",
    "two lines(.+?)\n  of (.+?) text\n",
)
GATE, TO, REFUSED, MOON, DISK, ENGINE, PARCEL, LINES = range(len(PATTERNS))


def _fact(pattern: str) -> MatchFact:
    key = f"{PATTERNS.index(pattern) + 1:016x}"
    return MatchFact(key, pattern, None, None, pattern, "a/b.py", 1, "", "acme/rocket", None, "Python", key, 90)


@pytest.fixture(scope="module", autouse=True)
def _index() -> None:
    opened["index"] = MatchIndex(1, build(map(_fact, PATTERNS)))


opened: dict[str, MatchIndex] = {}


def _count(log: bytes, size: int | None = None) -> Piece:
    stream = io.BytesIO(log)
    read: Callable[[int], bytes] = stream.read if size is None else lambda _wanted: stream.read(size)
    return count_patterns(opened["index"], read)


def _plain(piece: Piece) -> dict[int, tuple[int, int, int]]:
    return {pattern: (tally.count, tally.first, tally.last) for pattern, tally in piece.tallies.items()}


def test_counts_first_and_last_line_are_told() -> None:
    log = b"ok\n12:00 connection to db-1 refused by peer\nok\n12:01 connection to 'db-2' refused   by peer\nok\n"
    piece = _count(log)
    assert _plain(piece) == {REFUSED: (2, 2, 4)}
    assert (piece.lines, piece.bytes) == (5, len(log))


def test_of_two_patterns_for_the_same_words_the_longer_counts() -> None:
    assert _plain(_count(b"connection to the moon was refused by peer\n")) == {MOON: (1, 1, 1)}
    assert _plain(_count(b"connection to x refused by peer; connection to y\n")) == {REFUSED: (1, 1, 1), TO: (1, 1, 1)}


def test_two_errors_on_one_line_count_twice() -> None:
    assert _plain(_count(b"the parcel is far too heavy, the parcel is far too heavy\n")) == {PARCEL: (2, 1, 1)}
    assert _plain(_count(b"connection to a refused by peer: refused by peer\n")) == {REFUSED: (1, 1, 1)}


def test_a_gap_does_not_reach_over_lines_and_a_literal_does() -> None:
    assert _plain(_count(b"disk a\nb is full and cannot take c more\n")) == {}
    assert _plain(_count(b"disk a\nis full and cannot take b\nmore\n")) == {DISK: (1, 1, 1)}
    assert _plain(_count(b"x cannot open the gate\nbecause the guard\n sleeps\n")) == {GATE: (1, 1, 1)}


@pytest.mark.parametrize(
    "line",
    [
        b"\x1b[31mthe parcel\x1b[0m is far too heavy",
        b'{"level":"error","msg":"the \\"parcel\\" is far too heavy"}',
        "the “parcel” is far too heavy".encode(),
        b"\xff\xfe the parcel is far too heavy \xc3",
        b"the parcel is far too heavy\r",
    ],
)
def test_colors_escapes_quotes_and_broken_bytes_do_not_hide_it(line: bytes) -> None:
    assert _plain(_count(b"a\n" + line + b"\nb\n")) == {PARCEL: (1, 2, 2)}


def test_patterns_of_other_kinds_and_with_line_breaks_count() -> None:
    assert _plain(_count(b"x\nthe motor has 3 faults\nthe motor has no faults\n")) == {ENGINE: (1, 2, 2)}
    assert _plain(_count(b"x\ntwo lines, no,\n  of old text\n")) == {LINES: (1, 2, 2)}


def test_short_patterns_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings.tuning, "SCAN_LITERALS", 14)
    assert _plain(_count(b"connection to x\n")) == {}


def test_the_example_is_the_first_place_with_what_stands_around_it() -> None:
    log = b"".join(b"line %d\n" % number for number in range(100)) + b"the parcel is far too heavy\n  at x\n" * 2
    example = _count(log).tallies[PARCEL].example
    assert example is not None
    assert example.line == "the parcel is far too heavy"
    assert example.text.startswith("line 76\n")
    assert "heavy\n  at x\n" in example.text


lines = st.lists(
    st.sampled_from(
        [
            b"",
            b"   ",
            b"nothing to see here",
            b"connection to a refused by peer",
            b"connection to",
            b"the parcel is far too heavy",
            b"disk sda is full and cannot take one byte more",
            b"is full and cannot take",
            b"connection to the moon was refused by peer",
            b"cannot open the gate",
            b"because the guard sleeps",
            "… “quoted” ünïcode".encode(),
            b"x" * 90,
        ]
    ),
    max_size=40,
)


@given(lines=lines, block=st.integers(30, 400), size=st.integers(1, 500), step=st.integers(20, 600))
def test_the_outcome_does_not_depend_on_where_the_log_is_cut(
    lines: list[bytes], block: int, size: int, step: int
) -> None:
    log = b"\n".join(lines)
    whole = _count(log)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "BLOCK", max(block, 91))
        assert _count(log, size) == whole
        file = io.BytesIO(log)
        pieces = []
        for start, end in windows.ranges(file, len(log), step=step):
            file.seek(max(0, start - windows.CONTEXT))
            before = file.read(start - file.tell())
            pieces.append(count_patterns(opened["index"], file.read, before=before, limit=end - start))
        assert join(pieces) == whole


@given(cut=st.integers(0, 300))
def test_a_line_longer_than_a_window_is_searched_to_its_end(cut: int) -> None:
    log = b"y" * cut + b" the parcel is far too heavy " + b"z" * 300 + b" the parcel is far too heavy"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "BLOCK", 64)
        assert _plain(_count(log)) == {PARCEL: (2, 1, 1)}


@given(data=st.binary(max_size=2000), step=st.integers(1, 300))
def test_windows_own_every_byte_once(data: bytes, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "BLOCK", 50)
        patch.setattr(windows, "CONTEXT", 20)
        owned = [window.owned for window in windows.windows(io.BytesIO(data).read)]
        assert b"".join(owned) == data
        assert all(0 < len(piece) <= 50 for piece in owned)
        cuts = windows.ranges(io.BytesIO(data), len(data), step=step)
        assert b"".join(data[start:end] for start, end in cuts) == data
        assert all(data[start - 1 : start] in {b"", b"\n"} for start, _ in cuts)


def test_examples_are_kept_for_a_bounded_number_of_kinds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sightings.tuning, "SCAN_EXAMPLES", 1)
    piece = _count(b"the parcel is far too heavy\nconnection to\n" * 2)
    assert {pattern: tally.example is not None for pattern, tally in piece.tallies.items()} == {PARCEL: True, TO: False}
    joined = join([piece, piece])
    assert _plain(joined) == {PARCEL: (4, 1, 7), TO: (4, 2, 8)}
    assert [pattern for pattern, tally in joined.tallies.items() if tally.example] == [PARCEL]
