"""``faultbook completion``: the scripts, in the shells that are there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.no_db_matrix


def _completed(script: Path, words: list[str], directory: Path) -> set[str]:
    """What bash offers for the last of these words."""
    line = " ".join(f"'{word}'" for word in words)
    program = (
        f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _faultbook;"
        ' printf "%s\\n" "${COMPREPLY[@]}"'
    )
    ended = subprocess.run(
        ["bash", "--norc", "-euc", program], cwd=directory, capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""
    return {offered for offered in ended.stdout.split("\n") if offered}


@pytest.fixture
def bash(run: Any, tmp_path: Path) -> Any:
    script = tmp_path / "completion"
    script.write_text(run("completion", "bash").out)
    return lambda *words: _completed(script, ["faultbook", *words], tmp_path)


def test_bash_completes_commands_options_and_values(bash: Any) -> None:
    assert bash("expl") == {"explain"}
    assert {"search", "show", "scan", "serve", "sync_index"} <= bash("s")
    assert bash("explain", "--js") == {"--json"}
    assert bash("scan", "x.log", "--format", "") == {"text", "json", "html", "sarif", "github"}
    assert bash("completion", "") == {"bash", "zsh", "fish"}
    assert {"add", "list", "update"} <= bash("datasets", "")
    assert bash("explain", "") == bash("search", "--server", "") == set()  # the shell's own: files
    assert "true" in bash("explain", "--", "tru")
    assert bash("explain", "--", "true", "--js") == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_names_every_command_and_is_sound(run: Any, shell: str, tmp_path: Path) -> None:
    ended = run("completion", shell)
    assert ended.code == 0
    for word in ("explain", "search", "show", "open", "import_dataset", "min-confidence"):
        assert word in ended.out
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here to read it")
    script = tmp_path / "script"
    script.write_text(ended.out)
    read = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (read.returncode, read.stderr) == (0, "")


def test_another_shell_is_wrong_usage(run: Any) -> None:
    assert run("completion", "tcsh").code == 2
