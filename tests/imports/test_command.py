"""What ``import_dataset`` prints."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command


@pytest.fixture
def command(db: None) -> Any:
    """Standard output of the command, and its exit code."""

    def called(*words: str | Path, **options: Any) -> tuple[str, int]:
        output, code = io.StringIO(), 0
        try:
            call_command("import_dataset", *map(str, words), stdout=output, quiet=True, **options)
        except SystemExit as end:
            code = int(end.code or 0)
        return output.getvalue(), code

    return called


def test_json_is_one_object_with_the_stable_names(command: Any, layout: Any, record: Any) -> None:
    text, code = command(layout([record(1), record(2, severity="awful")]), json=True)
    report = json.loads(text)
    assert code == 3
    stable = {
        "release", "datasetVersion", "revision", "added", "changed", "unchanged", "retired", "restored", "rejected",
        "warnings", "seconds",
    }  # fmt: skip
    assert stable <= set(report)
    assert (report["added"], report["rejected"], report["revision"]) == (1, 1, 1)
    (rejection,) = report["rejections"]
    assert (rejection["code"], rejection["path"], rejection["value"]) == ("unknown_value", "$.severity", '"awful"')
    assert rejection["origin"].endswith("repos/acme/rockets.json[1]")


def test_a_person_reads_what_happened(command: Any, layout: Any, record: Any) -> None:
    source = layout([record(1), record(2)])
    text, _ = command(source)
    assert "2 added" in text
    assert "revision 1" in text
    text, _ = command(source)
    assert "Nothing changed" in text


def test_a_refusal_names_file_place_and_rule(command: Any, layout: Any, record: Any) -> None:
    text, code = command(layout([record(1), record(2, severity="awful")]), strict=True)
    assert code == 4
    for part in ("rockets.json[1]", "$.severity", "awful", "unknown_value", "catalog is unchanged"):
        assert part in text


def test_a_dry_run_lists_what_would_change(command: Any, layout: Any, record: Any) -> None:
    text, code = command(layout([record(1)]), dry_run=True)
    assert (code, "Would change: 1 added" in text, record(1)["id"] in text) == (0, True, True)


def test_warnings_are_told_with_their_place(command: Any, tmp_path: Path, record: Any) -> None:
    path = tmp_path / "twice.json"
    path.write_text(json.dumps([record(1), record(2, errorType="io"), record(1)]))
    text, code = command(path)
    assert (code, "2 warnings, such as:" in text) == (0, True)
    assert "twice.json[1]: $.errorType" in text
    assert "twice.json[2]: $.id" in text


def test_of_many_warnings_one_of_each_kind_is_told(command: Any, tmp_path: Path, record: Any) -> None:
    path = tmp_path / "many.json"
    path.write_text(json.dumps([record(number, errorType="io") for number in range(1, 21)] + [record(1)]))
    text, _ = command(path)
    assert "21 warnings, such as:" in text
    assert (text.count("$.errorType"), text.count("$.id")) == (1, 1)


def test_a_copy_that_waits_names_the_dataset_before_it(command: Any, layout: Any, record: Any) -> None:
    command(layout([record(1)]), dataset="aaa")
    text, _ = command(layout([record(1, severity="info")]))
    assert "1 record is stored but not shown: dataset aaa comes first" in text


def test_names_and_values_of_a_dataset_cannot_write_to_the_terminal(command: Any, layout: Any, record: Any) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\u202e\n"
    text, _ = command(layout([record(1, **{f"extra{hostile}": 1}), record(2, severity=hostile)]))
    assert "owned" in text
    assert not any(char in text for char in "\x1b\x07\u202e")


def test_progress_is_plain_lines_elsewhere_than_on_a_terminal(layout: Any, record: Any, run: Any) -> None:
    from kb.imports.options import ImportOptions
    from kb.imports.pipeline import run_import
    from kb.imports.progress import LineProgress, NoProgress, TerminalProgress, progress_for

    stream = io.StringIO()
    run_import([layout([record(1)])], ImportOptions(), progress=progress_for(stream))
    lines = stream.getvalue().splitlines()
    assert [line.split()[0] for line in lines] == ["Reading", "Publishing", "Indexing"]
    assert "\x1b" not in stream.getvalue()
    assert isinstance(progress_for(stream), LineProgress)
    assert isinstance(progress_for(stream, quiet=True), NoProgress)

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    bar = progress_for(terminal)
    assert isinstance(bar, TerminalProgress)
    bar.phase("Reading", 10)
    bar.advance(10)
    bar.close()
    assert "Reading" in terminal.getvalue()
    assert "10/10" in terminal.getvalue()
