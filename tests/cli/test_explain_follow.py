"""``faultbook explain --follow`` and ``explain -- COMMAND``."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kb.cli import following, running
from kb.cli.following import ended_texts, follow_file, follow_pipe
from kb.cli.running import run_command

CHAIN = """\
Traceback (most recent call last):
  File "/app/a.py", line 1, in load
    open(name)
FileNotFoundError: [Errno 2] No such file or directory: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/b.py", line 2, in main
    load()
RuntimeError: no configuration
"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that following sees; tests move it."""
    now = [100.0]
    monkeypatch.setattr(following.time, "monotonic", lambda: now[0])
    return now


def _texts(clock: list[float], pieces: list[tuple[float, str]]) -> list[str]:
    """What is explained when pieces come, each so many seconds after the one before."""

    def coming() -> Iterator[bytes]:
        for wait, piece in pieces:
            clock[0] += wait
            yield piece.encode()

    return list(ended_texts(coming()))


def test_a_trace_is_taken_when_nothing_follows_for_a_moment(clock: list[float], trace: str) -> None:
    assert _texts(clock, [(0, trace), (1, ""), (0, "more\n")]) == [trace, "more\n"]


def test_a_trace_that_may_go_on_is_waited_for(clock: list[float]) -> None:
    lines = CHAIN.splitlines(keepends=True)
    pieces = [(0.3, line) for line in lines]
    texts = _texts(clock, [(0.1, "start\n"), *pieces])
    assert "".join(texts) == "start\n" + CHAIN
    assert texts[-1].endswith(CHAIN)


def test_traces_end_where_other_lines_follow(clock: list[float], trace: str) -> None:
    steady = [(0.4, f"2026-11-30 07:00:{second:02d} INFO still here\n") for second in range(10)]
    texts = _texts(clock, [(0.1, trace), *steady])
    assert len(texts) > 1
    assert trace in texts[0]
    assert "".join(texts) == trace + "".join(line for _, line in steady)


def test_what_never_pauses_does_not_wait_for_ever(
    clock: list[float], trace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_MOST_WAITING", 1_000)
    frames = "".join(f'  File "/app/a.py", line {number}, in f\n    f()\n' for number in range(200))
    texts = _texts(clock, [(0.01, "Traceback (most recent call last):\n"), *[(0.01, frames[:4_000])] * 3, (0, trace)])
    assert len(texts) > 1
    assert len("".join(texts)) == len("Traceback (most recent call last):\n") + 12_000 + len(trace)


def test_many_errors_at_once_are_explained_in_parts(clock: list[float], trace: str) -> None:
    texts = _texts(clock, [(0, trace * 100)])
    assert "".join(texts) == trace * 100
    assert all(text.count("ConnectionTimeout") <= 31 for text in texts)


def test_characters_cut_between_pieces_are_whole_again() -> None:
    data = "ä€😀".encode()
    pieces = iter(data[place : place + 1] for place in range(len(data)))
    assert list(ended_texts(pieces)) == ["ä€😀"]


def _take(pieces: Iterator[bytes], wanted: bytes) -> bytes:
    """What comes until ``wanted`` is there."""
    taken = b""
    deadline = time.monotonic() + 20
    while wanted not in taken:
        assert time.monotonic() < deadline, taken
        taken += next(pieces)
    return taken


def test_a_file_is_followed_when_it_grows_is_emptied_or_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_POLL", 0.001)
    path = tmp_path / "a.log"
    path.write_bytes(b"one\n")
    pieces = follow_file(path)
    assert _take(pieces, b"one\n") == b"one\n"
    with path.open("ab") as file:
        file.write(b"two\n")
    assert _take(pieces, b"two\n") == b"two\n"
    path.write_bytes(b"3\n")  # shorter than before
    assert _take(pieces, b"3\n") == b"3\n"
    path.rename(tmp_path / "a.log.1")
    assert next(pieces) == b""
    with (tmp_path / "a.log.1").open("ab") as file:
        file.write(b"late\n")
    assert _take(pieces, b"late\n") == b"late\n"
    path.write_bytes(b"four\n")
    assert _take(pieces, b"four\n") == b"four\n"
    pieces.close()  # type: ignore[attr-defined]


def test_of_a_long_file_the_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"first\n" + b"line\n" * 100_000 + b"end\n")
    taken = _take(follow_file(path), b"end\n")
    assert taken.startswith(b"line\n")
    assert len(taken) <= 256 * 1024


def test_a_pipe_is_followed_to_its_end() -> None:
    reader, writer = os.pipe()

    def write() -> None:
        os.write(writer, b"one\n")
        time.sleep(0.3)
        os.write(writer, b"two\n")
        os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    pieces = list(follow_pipe(reader))
    thread.join()
    os.close(reader)
    assert b"".join(pieces) == b"one\ntwo\n"
    assert b"" in pieces


def test_an_error_seen_before_is_told_in_one_line(
    starter: None, run: Any, trace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.cli.management.commands import explain

    monkeypatch.setattr(explain, "_pieces", lambda _name: iter([]))
    monkeypatch.setattr(explain, "ended_texts", lambda _pieces: iter([trace, "all is well\n", trace]))
    ended = run("explain", "--follow")
    assert ended.code == 0
    assert ended.out.count("Test the path") == 1
    assert "again (2): psycopg.errors.ConnectionTimeout" in ended.out
    ended = run("explain", "--follow", "--json")
    assert len(ended.out.splitlines()) == 2
    monkeypatch.setattr(explain, "ended_texts", lambda _pieces: iter(["all is well\n"]))
    ended = run("explain", "--follow")
    assert (ended.code, ended.out) == (3, "")


# -- a command ---------------------------------------------------------------------------------------------------------


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_the_output_of_a_command_passes_through_and_is_kept(capfdbinary: Any) -> None:
    status, kept = run_command(_python("import os; os.write(1, b'out\\xff'); os.write(2, b'err'); raise SystemExit(7)"))
    assert status == 7
    shown = capfdbinary.readouterr()
    assert (shown.out, shown.err) == (b"out\xff", b"err")
    assert sorted(kept) == sorted(b"out\xfferr")


def test_of_much_output_the_end_is_kept(capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_KEPT", 1_000)
    _, kept = run_command(_python("print('x' * 300000); print('end')"))
    assert len(kept) == 1_000
    assert kept.endswith(b"end\n")
    assert len(capfdbinary.readouterr().out) == 300_005


def test_a_command_that_a_signal_ended_is_told_as_shells_do() -> None:
    assert run_command(_python("import os; os.kill(os.getpid(), 9)"))[0] == 137


def test_what_a_command_leaves_running_is_not_waited_for() -> None:
    begun = time.monotonic()
    status, _ = run_command(["sh", "-c", "sleep 30 & exit 3"])
    assert status == 3
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(("words", "code"), [(["no-such-command"], 127), (["/etc/passwd"], 126)])
def test_a_command_that_cannot_be_run_has_the_status_of_shells(run: Any, words: list[str], code: int) -> None:
    ended = run("explain", "--", *words)
    assert ended.code == code
    assert ended.err.startswith(words[0])


def test_a_failed_command_is_explained_beside_its_output(starter: None, run: Any, trace: str) -> None:
    code = f"import sys; print('working'); sys.stderr.write({trace!r}); sys.exit(5)"
    ended = run("explain", "--", *_python(code))
    assert ended.code == 5
    assert ended.out == "working\n"
    assert ended.err.startswith(trace)
    assert "/e/c53735311c96eaf3/" in ended.err


def test_a_command_that_succeeds_needs_no_catalog(db: None, run: Any) -> None:
    ended = run("explain", "--", *_python("print('--json')"), "--follow", "--")
    assert (ended.code, ended.err) == (0, "")


def test_the_status_stands_when_nothing_can_be_explained(db: None, run: Any) -> None:
    ended = run("explain", "--", *_python("raise SystemExit(9)"))
    assert ended.code == 9
    assert "The catalog is empty" in ended.err


def test_ctrl_c_is_left_to_the_command(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "def stop(*_):\n    print('stopped'); sys.exit(4)\n"
        "signal.signal(signal.SIGINT, stop); print('ready', flush=True); time.sleep(30)\n"
    )
    call = f"run_command([sys.executable, '-c', {code!r}])[0]"
    outer = f"import sys\nfrom kb.cli.running import run_command\nsys.exit({call})"
    with subprocess.Popen(_python(outer), stdout=subprocess.PIPE, start_new_session=True) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        os.killpg(started.pid, 2)
        assert started.stdout.readline() == b"stopped\n"
        assert started.wait() == 4
