"""Why there is no answer, on one line each; and texts of any kind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kb.integrations.asking import ask

pytestmark = pytest.mark.no_db_matrix


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("KB_")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"KB_SERVER": "parcels"}, "'parcels' is no address of a server"),
        ({"KB_DATA_DIR": "data"}, "there is no catalog in"),
        ({"KB_DATE_DIR": "x"}, "Did you mean KB_DATA_DIR?"),
        ({"KB_DATABASE_URL": "postgresql://user:secret@127.0.0.1:1/kb"}, "the catalog cannot be read"),
    ],
)
def test_settings_that_lead_nowhere(
    settings: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    answer = ask(["x"])
    assert told in answer.problem
    assert "\n" not in answer.problem
    assert "secret" not in answer.problem
    assert (answer.finds, list(tmp_path.iterdir())) == ((), [])


@pytest.mark.parametrize("body", [b"<html>\x1b[2J", b"[]", b"{", b'{"results": []}', b"[" * 100_000, b"\xff"])
def test_a_server_that_is_none(answering: Any, body: bytes) -> None:
    answer = ask(["x"], server=answering(body))
    assert answer.problem.endswith("does not answer as a Faultbook server does")


def test_a_server_that_says_nothing_is_left(answering: Any) -> None:
    assert ask(["x"], server=answering(b"{}"), timeout=0.01).problem == "no answer in 0.01 seconds"


def test_many_texts_of_any_kind_keep_their_order(
    data_directory: Path, monkeypatch: pytest.MonkeyPatch, soak: bool
) -> None:
    times = 5 if soak else 2
    monkeypatch.setenv("KB_DATA_DIR", str(data_directory))
    known = "psycopg.errors.ConnectionTimeout: connection timeout expired"
    texts = [
        known,
        "",
        "\udcff\0\x1b[2J",
        "x" * 3_000_000,
        "y" * 400_000 + "\n" + known,
        "\u20ac" * 300_000 + "\n" + known,
    ]
    finds = ask(texts * times).finds
    assert [bool(find) for find in finds] == [True, False, False, False, True, True] * times
