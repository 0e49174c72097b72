"""The documents of the frame say what the code does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands
from django.test import Client

import kb.checks
from kb.catalog import queries
from kb.cli.program import ALIASES
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
    assert sorted(documented) == sorted(set(re.findall(r'"(kb\.[EW][0-9]{3})"', source)))


def test_relative_links_between_documents_lead_somewhere(project_root: Path) -> None:
    documents = [project_root / "README.md", *sorted((project_root / "docs").rglob("*.md"))]
    broken = [
        f"{document.relative_to(project_root)}: {target}"
        for document in documents
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", document.read_text(encoding="utf-8"))
        if not (document.parent / target).exists()
    ]
    assert broken == []


@pytest.fixture
def readme(project_root: Path) -> str:
    return (project_root / "README.md").read_text(encoding="utf-8")


def test_what_the_readme_shows_can_be_done(
    readme: str, project_root: Path, import_sources: Callable[..., Any], tmp_path: Path, client: Client
) -> None:
    datasets = project_root / "fixtures" / "datasets"
    import_sources(datasets / "seed" / "seed-record.json", dataset="seed")
    import_sources(datasets / "starter", dataset="starter")
    promised = re.search(r"The catalog holds ([0-9]+) records", readme)
    assert promised
    assert queries.state().records == int(promised[1])

    example = re.search(r"```json\n(.*?)```", readme, re.DOTALL)
    assert example
    own = tmp_path / "parcels.json"
    own.write_text(example[1])
    assert import_sources(own).added == 1
    assert import_sources(own).unchanged == 1

    addresses = re.findall(r"http://127\.0\.0\.1:8000(/[^'>\s]*)", readme)
    assert len(addresses) > 5
    assert [path for path in addresses if client.get(path).status_code != 200] == []


def test_every_command_of_the_documents_exists(readme: str, project_root: Path) -> None:
    texts = [readme, *(path.read_text(encoding="utf-8") for path in sorted((project_root / "docs").glob("*.md")))]
    shown = "\n".join(re.findall(r"^ {4}.*$|`[^`\n]+`", "\n".join(texts), re.MULTILINE))
    commands = set(re.findall(r"(?:^ {4}|`|bin/)faultbook ([a-z_]+)", shown, re.MULTILINE))
    assert {"serve", "migrate", "import"} <= commands
    assert commands - {*ALIASES, *get_commands()} == set()
    targets = set(re.findall(r"\bmake ([a-z]+)", shown))
    makefile = (project_root / "Makefile").read_text(encoding="utf-8")
    assert {"run", "test"} <= targets
    assert targets - set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)) == set()


def test_the_map_of_documents_names_them_all(project_root: Path) -> None:
    text = (project_root / "docs" / "README.md").read_text(encoding="utf-8")
    documents = [path for path in (project_root / "docs").iterdir() if path.name != "README.md"]
    assert [path.name for path in documents if f"]({path.name}" not in text] == []
