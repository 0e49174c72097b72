"""What is harvested besides installed packages: a directory of sources, and Python's own library."""

from __future__ import annotations

import configparser
import platform
import re
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Final

from kb.harvest.environments import NotThere
from kb.harvest.metadata import Home, Stated, home_of, of_project_file
from kb.harvest.packages import Origin
from kb.harvest.subjects import Skipped, Subject, found_in, subject_of

__all__ = ["source_subjects", "standard_library"]

_CPYTHON: Final = "python/cpython"
_NOT_LIBRARY = re.compile(
    r"(?:idlelib|ensurepip|lib-dynload|config-[^/]*|__phello__(?:\.foo)?|this|antigravity)(?:/|\.py$)"
)
_REMOTE = re.compile(r"(?:(?:git\+)?(?:ssh|git|https?)://(?:[^@/]*@)?|[^@/]+@)([\w.-]+)(?::\d+)?[:/](.+?)/?")


def source_subjects(folder: Path) -> list[Subject]:
    """A directory of sources: what is below its ``src`` as one subject, the rest as another. Raises ``NotThere``.

    Its name comes from ``pyproject.toml``, else it is the directory's; its repository from there, else from git's
    remote ``origin``, else it is ``local/NAME``.
    """
    if not folder.is_dir():
        raise NotThere(f"{folder} is not a directory")
    root = folder.resolve()
    stated = of_project_file(_text(root / "pyproject.toml"))
    name = stated.name or re.sub(r"[^\w.+-]+", "-", root.name).strip("-.") or "sources"
    home = home_of(stated) or _origin_of(root) or Home(f"local/{name}", "", "")
    skipped: list[Skipped] = []
    relatives = found_in(root, skipped)
    below_src = [path.removeprefix("src/") for path in relatives if path.startswith("src/")]
    if (root / "src" / "__init__.py").exists():
        below_src = []  # a package of that name
    others = [path for path in relatives if not (below_src and path.startswith("src/"))]
    subjects = [subject_of(_origin(name, stated, home), root, others, skipped=skipped, links=False)]
    if below_src:
        origin = _origin(name, stated, home, folder="src/")
        subjects.append(subject_of(origin, root / "src", below_src, links=False))
    return [subject for subject in subjects if subject.files or subject.skipped or subject.left_out]


def standard_library(environment: Path | None = None) -> Subject:
    """The library of the Python that this program, or the virtual environment given, runs on. Raises ``NotThere``."""
    folder, version = _library_of(environment) if environment else _own_library()
    skipped: list[Skipped] = []
    relatives = [path for path in found_in(folder, skipped) if not _NOT_LIBRARY.match(path)]
    released = platform.python_implementation() == "CPython" and re.fullmatch(
        r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?", version
    )
    origin = Origin(
        distribution="Python",
        version=version,
        repository=_CPYTHON,
        address=f"https://github.com/{_CPYTHON}",
        revision=f"v{version}" if released else "",
        folder="Lib/",
        summary="The Python programming language and its standard library",
    )
    return subject_of(origin, folder, relatives, skipped=skipped)


def _origin(name: str, stated: Stated, home: Home, folder: str = "") -> Origin:
    return Origin(
        distribution=name,
        version=stated.version,
        repository=home.repository,
        address=home.address,
        revision=home.revision,
        folder=folder,
        summary=stated.summary,
    )


def _origin_of(root: Path) -> Home | None:
    """The repository that git's remote ``origin`` names. Sources may be changed, so there is no revision."""
    parser = configparser.RawConfigParser(strict=False)
    with suppress(configparser.Error):
        parser.read_string(_text(root / ".git" / "config"))
    address = parser.get('remote "origin"', "url", fallback="")
    found = _REMOTE.fullmatch(address.strip())
    if found is None:
        return None
    known = home_of(Stated("", "", "", (("source", f"https://{found[1]}/{found[2]}"),)))
    if known is not None:
        return known
    parts = re.sub(r"\.git$", "", found[2]).split("/")
    named = [part for part in parts if re.fullmatch(r"[\w.~+-]+", part) and part not in {".", ".."}]
    return Home("/".join(named[-2:]), "", "") if len(named) == len(parts) > 1 else None


def _own_library() -> tuple[Path, str]:
    return Path(sysconfig.get_path("stdlib")), platform.python_version()


def _library_of(environment: Path) -> tuple[Path, str]:
    """Where the library of a virtual environment is, by its ``pyvenv.cfg``, and its version."""
    pairs = [line.partition("=") for line in _text(environment / "pyvenv.cfg").splitlines()]
    said = {key.strip().lower(): value.strip() for key, _, value in pairs}
    version = said.get("version") or said.get("version_info") or ""
    short = re.match(r"\d+\.\d+", version)
    if short and said.get("home"):
        folder = Path(said["home"]).resolve().parent / "lib" / f"python{short[0]}"
        if (folder / "os.py").is_file():
            full = re.match(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?", version)
            return folder, full[0] if full else version
    raise NotThere(f"{environment} does not say where its Python's library is; this is Python {sys.version.split()[0]}")


def _text(path: Path) -> str:
    """A small text file; empty when there is none that can be read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(1_000_000) if path.is_file() else ""
    except OSError:
        return ""
