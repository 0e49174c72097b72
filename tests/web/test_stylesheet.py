"""The one style sheet: made of every part, fresh whenever it is looked for, and small."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import brotli
import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command

from kb.web.stylesheet import APART, PARTS, SHEET, composed

pytestmark = pytest.mark.no_db_matrix


def test_every_part_is_in_it_once_or_stands_apart(project_root: Path) -> None:
    named = [*PARTS, *APART]
    assert sorted(named) == sorted(path.stem for path in (project_root / "static/css").glob("*.css"))


def test_all_style_of_the_site_is_under_twenty_kilobytes_compressed(project_root: Path) -> None:
    apart = "".join((project_root / f"static/css/{name}.css").read_text(encoding="utf-8") for name in APART)
    assert len(brotli.compress((composed() + apart).encode())) < 20_000


def test_it_loses_nothing_but_comments_and_indentation(project_root: Path) -> None:
    def told(text: str) -> str:
        return re.sub(r"\s+|/\*.*?\*/", "", text, flags=re.DOTALL)

    whole = "".join((project_root / f"static/css/{part}.css").read_text(encoding="utf-8") for part in PARTS)
    assert told(composed()) == told(whole)
    assert "/*" not in composed()


def test_only_the_tokens_name_colors(project_root: Path) -> None:
    raw = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)\(")
    found = {
        f"{part}: {line.strip()}"
        for part in (*PARTS, *APART)
        if part not in {"tokens", "code", "staff"}
        for line in (project_root / f"static/css/{part}.css").read_text(encoding="utf-8").splitlines()
        if raw.search(line)
    }
    assert found == set()


@pytest.fixture
def parts(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of parts that a test may change, and a data directory of its own."""
    folder = tmp_path / "static" / "css"
    folder.mkdir(parents=True)
    for part in PARTS:
        (folder / f"{part}.css").write_text(f"/* {part} */\n.{part} {{\n  color: red;\n}}\n", encoding="utf-8")
    monkeypatch.setattr("kb.web.stylesheet.asset_root", lambda: tmp_path)
    settings.KB_DATA_DIR = tmp_path / "data"
    settings.STATICFILES_DIRS = []
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
    }
    return folder


def test_it_is_made_anew_when_a_part_changes(parts: Path) -> None:
    found = Path(str(finders.find(SHEET)))
    assert found.is_absolute()
    before = found.read_text(encoding="utf-8")
    assert before.startswith(".tokens {\ncolor: red;\n}\n.base {")
    made = found.stat().st_mtime_ns
    assert finders.find(SHEET) == str(found)
    assert found.stat().st_mtime_ns == made
    (parts / "base.css").write_text(".base { color: blue; }", encoding="utf-8")
    assert Path(str(finders.find(SHEET))).read_text(encoding="utf-8") != before


def test_it_is_collected_under_a_hashed_name(parts: Path, tmp_path: Path) -> None:
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["admin"])
    first = {path.name for path in (tmp_path / "collected/css").iterdir()}
    assert len(first) == 2
    (parts / "base.css").write_text(".base { color: blue; }", encoding="utf-8")
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["admin"])
    assert len({path.name for path in (tmp_path / "collected/css").iterdir()} - first) == 1
