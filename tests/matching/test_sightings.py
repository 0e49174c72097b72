"""Known messages in a log: every occurrence once, however the log is cut."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching import sightings, windows
from kb.matching.reading.folding import fold
from kb.matching.sightings import Piece, count_patterns, join

PATTERNS = (
    ("connection to", "refused by peer"),
    ("the parcel is far too heavy",),
    ("connection to",),
    ("disk", "is full and cannot take", "more"),
    ("connection to the moon was refused by peer",),
    ("cannot open the gate because the guard sleeps",),
)


@dataclass(frozen=True)
class Found:
    """What the index answers."""

    pattern: int
    partial: bool = False


class Index:
    """Proposes every pattern whose parts occur in order anywhere in the text, as the index does."""

    def find(self, text: str) -> Sequence[Found]:
        folded = fold(text)
        return [Found(number) for number, parts in enumerate(PATTERNS) if _in_order(parts, folded)]

    def pattern_parts(self, pattern: int) -> tuple[str, ...]:
        return PATTERNS[pattern]


def _in_order(parts: Sequence[str], text: str) -> bool:
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def _count(log: bytes, size: int | None = None) -> Piece:
    stream = io.BytesIO(log)
    read: Callable[[int], bytes] = stream.read if size is None else lambda _wanted: stream.read(size)
    return count_patterns(Index(), read)


def _plain(piece: Piece) -> dict[int, tuple[int, int, int]]:
    return {pattern: (tally.count, tally.first, tally.last) for pattern, tally in piece.tallies.items()}


def test_counts_first_and_last_line_are_told() -> None:
    log = b"ok\n12:00 connection to db-1 refused by peer\nok\n12:01 connection to 'db-2' refused   by peer\nok\n"
    piece = _count(log)
    assert _plain(piece) == {0: (2, 2, 4)}
    assert (piece.lines, piece.bytes) == (5, len(log))


def test_of_two_patterns_for_the_same_words_the_longer_counts() -> None:
    assert _plain(_count(b"connection to the moon was refused by peer\n")) == {4: (1, 1, 1)}
    assert _plain(_count(b"connection to x refused by peer; connection to y\n")) == {0: (1, 1, 1), 2: (1, 1, 1)}


def test_two_errors_on_one_line_count_twice() -> None:
    assert _plain(_count(b"the parcel is far too heavy, the parcel is far too heavy\n")) == {1: (2, 1, 1)}
    assert _plain(_count(b"connection to a refused by peer: refused by peer\n")) == {0: (1, 1, 1)}


def test_a_gap_does_not_reach_over_lines_and_a_literal_does() -> None:
    assert _plain(_count(b"disk a\nb is full and cannot take c more\n")) == {}
    assert _plain(_count(b"disk a\nis full and cannot take b\nmore\n")) == {3: (1, 1, 1)}
    assert _plain(_count(b"x cannot open the gate\nbecause the guard\n sleeps\n")) == {5: (1, 1, 1)}


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
    assert _plain(_count(b"a\n" + line + b"\nb\n")) == {1: (1, 2, 2)}


def test_short_patterns_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings.tuning, "SCAN_LITERALS", 14)
    assert _plain(_count(b"connection to x\n")) == {}


def test_the_example_is_the_first_place_with_what_stands_around_it() -> None:
    log = b"".join(b"line %d\n" % number for number in range(100)) + b"the parcel is far too heavy\n  at x\n" * 2
    example = _count(log).tallies[1].example
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
            pieces.append(count_patterns(Index(), file.read, before=before, limit=end - start))
        assert join(pieces) == whole


@given(cut=st.integers(0, 300))
def test_a_line_longer_than_a_window_is_searched_to_its_end(cut: int) -> None:
    log = b"y" * cut + b" the parcel is far too heavy " + b"z" * 300 + b" the parcel is far too heavy"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "BLOCK", 64)
        assert _plain(_count(log)) == {1: (2, 1, 1)}


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
    assert {pattern: tally.example is not None for pattern, tally in piece.tallies.items()} == {1: True, 2: False}
    joined = join([piece, piece])
    assert _plain(joined) == {1: (4, 1, 7), 2: (4, 2, 8)}
    assert [pattern for pattern, tally in joined.tallies.items() if tally.example] == [1]
