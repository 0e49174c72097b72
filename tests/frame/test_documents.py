"""The documents of the frame say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import kb.checks
from kb.env import VARIABLES


def _table(path: Path, heading: str) -> dict[str, str]:
    """The first two columns of the table below the row ``heading``; empty when there is none."""
    after = path.read_text(encoding="utf-8").partition(heading)[2]
    block = after.strip().split("\n\n", 1)[0]
    return dict(re.findall(r"^\| `([^`]+)` \| (.*?) \|$", block, re.MULTILINE))


def test_every_variable_is_documented(project_root: Path) -> None:
    documented = _table(project_root / "docs" / "configuration.md", "| name | purpose |\n")
    assert documented == {row.name: row.purpose for row in VARIABLES}


def test_every_check_is_documented(project_root: Path) -> None:
    source = Path(kb.checks.__file__).read_text(encoding="utf-8")
    documented = _table(project_root / "docs" / "configuration.md", "| id | what |\n")
    assert sorted(documented) == sorted(set(re.findall(r'id="(kb\.[EW][0-9]+)"', source)))


def test_relative_links_between_documents_lead_somewhere(project_root: Path) -> None:
    documents = [project_root / "README.md", *sorted((project_root / "docs").rglob("*.md"))]
    broken = [
        f"{document.relative_to(project_root)}: {target}"
        for document in documents
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", document.read_text(encoding="utf-8"))
        if not (document.parent / target).exists()
    ]
    assert broken == []
