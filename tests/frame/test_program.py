"""The program ``faultbook``: help, version, wrong usage, short names."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from django.core.management import get_commands

from kb.cli import program


def test_help_lists_our_commands_with_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--help"]) == 0
    shown = capsys.readouterr().out
    own = [name for name, application in get_commands().items() if str(application).startswith("kb.")]
    assert "serve" in own
    for name in [*own, "migrate", "collectstatic"]:
        line = next(line for line in shown.splitlines() if line.split()[:1] == [name])
        assert len(line.split()) > 1, f"{name} says nothing of itself"


@pytest.mark.parametrize("words", [[], ["help"], ["-h"]])
def test_no_command_is_a_question_for_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(words) == 0
    assert "usage: faultbook COMMAND" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--version"], ["-V"], ["version"]])
def test_the_version_is_that_of_the_package(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(words) == 0
    assert capsys.readouterr().out == f"faultbook {metadata.version('faultbook')}\n"


def test_an_unknown_command_is_wrong_usage_and_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["serv"]) == 2
    assert "no command 'serv'. Did you mean serve?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--bind", "8000"],
        ["serve", "--bind", "localhost:99999"],
        ["serve", "--bind", "unix:"],
        ["serve", "--workers", "0"],
        ["serve", "--threads", "two"],
        ["serve", "--port", "8000"],
        ["serve", "extra"],
    ],
)
def test_wrong_options_end_with_two_before_anything_is_asked(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        program.main(words)
    assert ended.value.code == 2
    assert "usage: faultbook serve" in capsys.readouterr().err


def test_short_names_run_the_commands_behind_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "ALIASES", {"run-checks": "check"})
    assert program.main(["run-checks", "--tag", "security"]) == 0
    assert "System check identified" in capsys.readouterr().out
    program.main(["--help"])
    assert "run-checks is check" in capsys.readouterr().out


def test_a_database_that_does_not_answer_is_told_in_one_line(tmp_path: Path) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("KB_")},
        "KB_DATA_DIR": str(tmp_path),
        "KB_DATABASE_URL": "postgresql://user:secret@127.0.0.1:1/faultbook",
        "KB_LOG_LEVEL": "ERROR",
    }
    ended = subprocess.run(
        [sys.executable, "-m", "kb.cli.program", "migrate"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("faultbook: The database faultbook on 127.0.0.1 cannot be used")
    assert "Traceback" not in ended.stderr
    assert "secret" not in ended.stderr


@pytest.mark.parametrize("command", ["check", "import", "verify"])
def test_ctrl_c_at_any_moment_is_no_traceback(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program.ManagementUtility, "execute", interrupted)
    assert program.main([command]) == 130
    assert capsys.readouterr().err == "faultbook: interrupted\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize(("words", "unbuffered"), [("--help", "1"), ("completion bash", "")])
def test_an_output_that_takes_no_more_is_told_in_one_line(words: str, unbuffered: str, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "kb.cli.program", *words.split()],
            env=os.environ | {"KB_DATA_DIR": str(tmp_path), "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr == "faultbook: The output cannot be written: No space left on device\n"
