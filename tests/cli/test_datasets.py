"""The commands ``datasets`` and ``apikeys``: what they print, and how they end."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from kb.catalog import keys, queries

Called = Callable[..., tuple[str, str, int]]


@pytest.fixture
def command(db: None, settings: Any, tmp_path: Path) -> Called:
    """Standard output, standard error and exit code of a command."""
    settings.KB_DATA_DIR = tmp_path / "data"

    def called(name: str, *words: str | Path) -> tuple[str, str, int]:
        output, errors, code = io.StringIO(), io.StringIO(), 0
        more = ["--quiet"] if words[0] in {"update", "remove"} else []
        try:
            call_command(name, *map(str, words), *more, stdout=output, stderr=errors)
        except SystemExit as end:
            code = int(end.code or 0)
        return output.getvalue(), errors.getvalue(), code

    return called


@pytest.fixture
def source(tmp_path: Path, record: Any) -> Callable[..., Path]:
    """Writes records to a file of this name."""

    def written(name: str, *numbers: int) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record(number)) + "\n" for number in numbers))
        return path

    return written


def test_two_datasets_and_an_update(command: Called, source: Any) -> None:
    text, _, code = command("datasets", "add", "public", source("public.jsonl", 1, 2), "--schedule", "nightly")
    assert (code, "Registered public" in text, "datasets update public" in text) == (0, True, True)
    command("datasets", "add", "ours", source("ours.jsonl", 2, 3), "--priority", "5")
    text, _, code = command("datasets", "update", "--all")
    assert code == 0
    assert text.index("ours: ") < text.index("public: ")  # the first in rank first: nothing is shown and replaced
    assert queries.state().records == 3
    told = json.loads(command("datasets", "list", "--json")[0])["datasets"]
    assert [(row["name"], row["records"], row["priority"], row["schedule"]) for row in told] == [
        ("ours", 2, 5, None), ("public", 2, 0, "nightly"),
    ]  # fmt: skip
    assert "nightly" in command("datasets", "list")[0]
    text, _, code = command("datasets", "update", "public")
    assert (code, "Nothing changed" in text) == (0, True)


def test_a_removal_brings_the_other_copy_forward(command: Called, source: Any, record: Any) -> None:
    command("datasets", "add", "public", source("public.jsonl", 1, 2))
    command("datasets", "add", "ours", source("ours.jsonl", 2, 3), "--priority", "5")
    command("datasets", "update", "--all")
    text, _, code = command("datasets", "remove", "ours", "--dry-run")
    assert (code, "1 retired" in text, queries.dataset("ours").records) == (0, True, 2)  # type: ignore[union-attr]
    text, _, code = command("datasets", "remove", "ours")
    assert (code, "1 retired" in text) == (0, True)
    shared = queries.record_by_id(record(2)["id"])
    assert shared is not None
    assert (shared.dataset, shared.retired_revision) == ("public", None)
    assert "removed" in command("datasets", "list")[0]
    assert command("datasets", "update", "ours")[2] == 2
    assert command("datasets", "remove", "nobody")[2] == 4


def test_another_rank_is_shown_at_once(command: Called, source: Any, record: Any) -> None:
    command("datasets", "add", "public", source("public.jsonl", 1))
    command("datasets", "add", "ours", source("ours.jsonl", 1), "--priority", "-1")
    command("datasets", "update", "--all")

    def shown() -> str:
        view = queries.record_by_id(record(1)["id"])
        assert view is not None
        return view.dataset

    assert shown() == "public"
    command("datasets", "add", "ours", source("ours.jsonl", 1), "--priority", "1")
    assert shown() == "ours"
    command("datasets", "add", "ours", source("ours.jsonl", 1), "--untrusted")
    assert shown() == "public"
    view = queries.dataset("ours")
    assert view is not None
    assert (view.priority, view.trusted) == (1, False)


def test_a_partial_dataset_loses_nothing(command: Called, source: Any) -> None:
    path = source("ours.jsonl", 1, 2)
    command("datasets", "add", "ours", path, "--complete")
    command("datasets", "update", "ours")
    source("ours.jsonl", 1)
    command("datasets", "add", "ours", path, "--partial")
    assert "retired" not in command("datasets", "update", "ours")[0]
    command("datasets", "add", "ours", path, "--complete")
    assert "1 retired" in command("datasets", "update", "ours", "--force")[0]


def test_the_worst_outcome_is_the_exit_code_and_the_others_happen(command: Called, source: Any, tmp_path: Path) -> None:
    command("datasets", "add", "gone", tmp_path / "nothing.jsonl", "--priority", "9")
    command("datasets", "add", "ours", source("ours.jsonl", 1))
    text, _, code = command("datasets", "update", "--all")
    assert (code, "missing_file" in text, queries.state().records) == (4, True, 1)
    text, _, code = command("datasets", "update", "--all", "--json")
    assert code == 4
    assert [row["outcome"] for row in json.loads(text)["updates"]] == ["refused", "unchanged"]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("add", "a/b", "/x"), "no name of a dataset"),
        (("add", "", "/x"), "no name of a dataset"),
        (("add", "a", "-"), "standard input"),
        (("add", "a", ""), "must be a path"),
        (("add", "a", "ftp://example.org/"), "https"),
        (("add", "a", "https://user:secret@example.org/"), "user name or password"),
        (("add", "a", "https://[/"), "cannot be read"),
        (("add", "a", "https://example.org:x/"), "cannot be read"),
        (("add", "a", "https:///data"), "https"),
        (("add", "a", "/x", "--priority", "1000001"), "priority"),
        (("add", "a", "/x", "--schedule", "a\nb"), "schedule"),
        (("update",), "--all"),
        (("update", "a", "--all"), "--all"),
        (("update", "nobody"), "nobody is not registered"),
    ],
)
def test_what_cannot_be_done_is_said(words: tuple[str, ...], part: str, command: Called) -> None:
    text, errors, code = command("datasets", *words)
    assert (code, text) == (2, "")
    assert part in errors
    assert "secret" not in errors
    assert queries.datasets() == ()


def test_an_empty_registry_says_what_to_do(command: Called) -> None:
    assert "datasets add" in command("datasets", "list")[0]
    assert "No dataset is registered" in command("datasets", "update", "--all")[0]


def test_a_relative_path_is_kept_whole(command: Called, source: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = source("ours.jsonl", 1)
    monkeypatch.chdir(path.parent)
    command("datasets", "add", "ours", "ours.jsonl")
    view = queries.dataset("ours")
    assert view is not None
    assert view.address == str(path)


# --- keys -------------------------------------------------------------------------------------------------------------


def test_a_key_is_shown_once(command: Called) -> None:
    text, told, code = command("apikeys", "create", "nightly job", "--scope", "import", "--expires", "30")
    key = text.strip()
    found = keys.key_of(key)
    assert found is not None
    assert (code, found.name, found.scopes) == (0, "nightly job", ("import",))
    assert found.expires_at is not None
    assert (found.expires_at - found.created_at).days == 30
    assert key not in told
    listed = command("apikeys", "list")[0] + command("apikeys", "list", "--json")[0]
    assert found.prefix in listed
    assert key not in listed
    text, _, code = command("apikeys", "revoke", found.prefix)
    assert (code, "revoked" in text) == (0, True)
    assert json.loads(command("apikeys", "list", "--json")[0])["keys"][0]["state"] == "revoked"
    assert command("apikeys", "revoke", "fb_00000000")[2] == 2


def test_a_key_can_be_made_for_good(command: Called) -> None:
    told = json.loads(command("apikeys", "create", "x", "--scope", "import", "--expires", "never", "--json")[0])
    assert (told["expiresAt"], told["state"]) == (None, "valid")
    assert keys.key_of(told["key"]) is not None


@pytest.mark.parametrize(
    "words",
    [("create", "x"), ("create", "x", "--scope", "all"), ("create", " ", "--scope", "import"),
     ("create", "x", "--scope", "import", "--expires", "0"), ("create", "x\ny", "--scope", "import"), ("revoke",)],
)  # fmt: skip
def test_no_key_is_made_of_nonsense(words: tuple[str, ...], command: Called) -> None:
    with pytest.raises(CommandError):
        command("apikeys", *words)
    assert queries.api_keys() == ()


@pytest.mark.parametrize("address", ["nowhere", "http://data.example.org/"])
def test_what_was_mistyped_is_told_and_leaves_no_trace(address: str, command: Called, source: Any) -> None:
    command("datasets", "add", "public", source("public.jsonl", 1))
    command("datasets", "update", "public")
    told = command("datasets", "add", "typo", address)[0]
    assert ("There is nothing at" in told, "KB_FETCH_HTTP" in told).count(True) == 1
    text, _, code = command("datasets", "remove", "typo", "--dry-run")
    assert (code, "never imported" in text, queries.dataset("typo") is None) == (0, True, False)
    text, _, code = command("datasets", "remove", "typo")
    assert (code, "never imported" in text, queries.dataset("typo")) == (0, True, None)
    assert queries.state().revision == 1
