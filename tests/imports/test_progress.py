"""What is shown while an import runs: lines, JSON, a bar; with phases, rate and time left."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from kb.imports import progress
from kb.imports.progress import JsonProgress, LineProgress, Meter, NoProgress, TerminalProgress, duration, progress_for

HOSTILE = "Reading [red]x\x1b[2J\u202e\ud83d"


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(progress.time, "monotonic", found)
    return found


def test_a_meter_tells_rate_and_time_left(clock: Clock) -> None:
    meter = Meter(clock)
    meter.begin("Publishing", 1_000)
    assert (meter.read().rate, meter.read().seconds_left) == (0, None)
    for _ in range(4):
        clock.now += 1
        meter.advance(100)
    found = meter.read()
    assert (found.done, found.rate, found.seconds_left, found.seconds) == (400, 100, 6, 4)
    assert str(found) == "Publishing: 400 of 1,000, 100/s, 6 s left"


def test_a_rate_follows_the_last_seconds(clock: Clock) -> None:
    meter = Meter(clock)
    meter.begin("Publishing", None)
    for speed in (1_000, 10):
        for _ in range(60):
            clock.now += 1
            meter.advance(speed)
    assert meter.read().rate == pytest.approx(10)
    assert meter.read().seconds_left is None


def test_more_than_expected_is_no_negative_time(clock: Clock) -> None:
    meter = Meter(clock)
    meter.begin("Reading", 10)
    clock.now += 2
    meter.advance(50)
    assert (meter.read().total, meter.read().seconds_left) == (50, 0)


def test_json_is_one_object_a_line(clock: Clock) -> None:
    stream = io.StringIO()
    reporter = JsonProgress(stream)
    reporter.phase(HOSTILE, 100)
    for _ in range(4):
        clock.now += 0.5
        reporter.advance(10)
    reporter.phase("Indexing")
    reporter.close()
    rows = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [row["event"] for row in rows] == ["phase", "progress", "progress", "progress", "phase", "end"]
    names = {"event", "phase", "done", "total", "perSecond", "seconds", "secondsLeft"}
    assert all(set(row) == names for row in rows)
    assert rows[0]["phase"] == HOSTILE
    assert (rows[3]["done"], rows[3]["total"], rows[3]["perSecond"]) == (40, 100, 20)
    assert stream.getvalue().isascii()


def test_lines_tell_the_same(clock: Clock) -> None:
    stream = io.StringIO()
    reporter = LineProgress(stream)
    reporter.phase(HOSTILE, 100)
    for _ in range(12):
        clock.now += 1
        reporter.advance(5)
    reporter.close()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("(100)")
    assert "25 of 100, 5/s, 15 s left" in lines[1]
    assert all(line.isprintable() for line in lines)


def test_a_bar_obeys_no_name() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    reporter = progress_for(stream)
    assert isinstance(reporter, TerminalProgress)
    reporter.phase(HOSTILE, 10)
    reporter.advance(10)
    reporter.close()
    assert "[red]x" in stream.getvalue()
    assert "\x1b[2J" not in stream.getvalue()


@pytest.mark.parametrize(
    ("kind", "made"), [("auto", LineProgress), ("lines", LineProgress), ("json", JsonProgress), ("none", NoProgress)]
)
def test_kinds_can_be_chosen(kind: Any, made: type) -> None:
    assert type(progress_for(io.StringIO(), kind=kind)) is made


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (59.4, "59 s"), (60, "1:00"), (187, "3:07"), (3600, "1:00:00"), (3729, "1:02:09")]
)
def test_durations_read_well(seconds: float, text: str) -> None:
    assert duration(seconds) == text
