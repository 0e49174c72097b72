"""The tree keeps its shape: short files and functions, listed in dependency order, finished, of this project only."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MODULES = sorted(path for path in (ROOT / "kb").rglob("*.py") if "migrations" not in path.parts)
PACKAGES = sorted(path for path in (ROOT / "kb").iterdir() if (path / "__init__.py").exists())
LONGEST_FILE = 400
LONGEST_FUNCTION = 60
# Django finds these by their place; they import and are imported as it likes.
_DJANGO_PLACES = {"__init__", "apps", "admin"}
_UNFINISHED = re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b")  # brackets, so as not to find itself
_LISTED = re.compile(r"^(?:- )?((?:``[a-z_]+``(?:, )?)+)", re.MULTILINE)


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_files_are_short() -> None:
    long = {_name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in long.items() if lines > LONGEST_FILE} == {}


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{_name(path)}:{node.lineno} {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def test_functions_are_short() -> None:
    assert [row for path in MODULES for row in _functions(path) if row[1] > LONGEST_FUNCTION] == []


def test_nothing_is_left_unfinished() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name and not name.startswith("fixtures/")]
    sources = [path for path in paths if path.suffix in {".py", ".html", ".css", ".js", ".md"} and path.exists()]
    texts = {_name(path): path.read_text("utf-8", "replace") for path in sources}
    assert texts
    assert [name for name, text in texts.items() if _UNFINISHED.search(text)] == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_package_lists_its_files_in_the_order_of_their_imports(package: Path) -> None:
    rows = _LISTED.findall(ast.get_docstring(_tree(package / "__init__.py")) or "")
    listed = [name for row in rows for name in re.findall("[a-z_]+", row)]
    files = {path.stem for path in package.glob("*.py")} - _DJANGO_PLACES
    assert set(listed) & files == files, "these files are not listed"
    position = {name: place for place, name in enumerate(listed)}
    backward = [
        f"{name} imports {other}"
        for name in sorted(files)
        for other in _siblings(package, package / f"{name}.py")
        if other in position and position[other] >= position[name]
    ]
    assert backward == []


def _siblings(package: Path, path: Path) -> Iterator[str]:
    """Files of the same package that a file imports, anywhere in it."""
    prefix = f"kb.{package.name}"
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module == prefix:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{prefix}."):
            yield (node.module or "").split(".")[2]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[2] for alias in node.names if alias.name.startswith(f"{prefix}."))
