"""Paths of frames against paths of records: whether they name the same file, a neighbor, or the same package; pure.

A record's path is relative to its repository's root; a frame's is what a machine printed. Both are cut into lower-case
parts, the frame's from where the installed package begins, when a marker such as ``site-packages`` shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Place", "agreement", "frame_place", "modules_of", "packages_of"]

_INSTALLED: Final = ("site-packages", "dist-packages", "node_modules")
_VENDORED: Final = ("_vendor", "vendored", "third_party", "vendor")
_VERSIONED: Final = re.compile(r"[a-z0-9_.+-]{1,100}?-v?[0-9]+(?:\.[0-9a-z]+){1,6}[a-z0-9_.+-]{0,60}")
_UNVERSIONED: Final = re.compile(r"-v?[0-9]")
_GO_VERSION: Final = re.compile(r"@v[0-9][^/]{0,80}$")
_SOURCE_ROOTS: Final = frozenset(
    ("src", "lib", "libs", "python", "source", "packages", "main", "java", "kotlin", "app")
)
_COMMON_NAMES: Final = frozenset(
    ("__init__", "index", "utils", "util", "base", "main", "core", "mod", "lib", "client", "errors", "exceptions")
)
_MOST_PARTS: Final = 40


@dataclass(frozen=True, slots=True)
class Place:
    """The parts of a frame's path from its package on; ``package`` is its name, empty when nothing shows it."""

    parts: tuple[str, ...]
    package: str
    vendored: bool


def _parts(path: str) -> tuple[str, ...]:
    """The lower-case parts of a path in any notation."""
    parts = path.replace("\\", "/").casefold().split("/")
    return tuple(part for part in parts if part not in {"", ".", "..."})[-_MOST_PARTS:]


def frame_place(path: str) -> Place:
    """Where in its package the file of a frame stands."""
    parts = _parts(path.rsplit("://", 1)[-1])
    begin, package = 0, ""
    for index, part in enumerate(parts[:-1]):
        if part.endswith(_INSTALLED):
            begin, package = index + 1, _first_name(parts[index + 1 :])
        elif part == "vendor" and index + 3 < len(parts):  # vendor/owner/name/… or vendor/github.com/owner/name/…
            begin = index + (4 if "." in parts[index + 1] else 3)
            package = "/".join(parts[begin - 2 : begin])
        elif _GO_VERSION.search(part):
            begin, package = index + 1, "/".join((*parts[max(0, index - 1) : index], part.split("@", 1)[0]))
        elif _VERSIONED.fullmatch(part):
            begin, package = index + 1, package if part.endswith(".egg") else _UNVERSIONED.split(part, maxsplit=1)[0]
    inner = parts[begin:] or parts[-1:]
    return Place(inner, package or (_first_name(inner) if begin else ""), any(part in _VENDORED for part in inner))


def _first_name(parts: tuple[str, ...]) -> str:
    """The package that the first parts below an installation folder name."""
    if not parts or _VERSIONED.fullmatch(parts[0]):
        return ""
    if parts[0].startswith("@"):
        return "/".join(parts[:2])
    return parts[0].rsplit(".", 1)[0] if len(parts) == 1 else parts[0]


def agreement(place: Place, record_path: str) -> float:
    """How well a frame's file and a record's agree: 1 the same file, 0.6 probably the same, 0.3 a neighbor or what the
    file became, 0 another.
    """
    record = _parts(record_path)
    if not record or not place.parts:
        return 0.0
    vendored = any(part in _VENDORED for part in record)
    if vendored != place.vendored:
        return 0.0
    equal = 0
    for mine, theirs in zip(reversed(place.parts), reversed(record), strict=False):
        if mine != theirs:
            break
        equal += 1
    shorter = min(len(place.parts), len(record))
    if equal == shorter and (equal > 1 or (len(record) == 1 and len(place.parts) == 1)):
        return 1.0
    if equal >= 3 or (equal == 2 and not _common_name(record[-1])):  # noqa: PLR2004  parts that agree
        return 0.6
    return 0.3 if place.package and _near(place.parts, record) else 0.0


def _common_name(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in {
        "__init__",
        "index",
        "utils",
        "base",
        "main",
        "core",
        "mod",
        "lib",
        "client",
        "errors",
        "exceptions",
    }


def _near(frame: tuple[str, ...], record: tuple[str, ...]) -> bool:
    """Whether the record's file lies in the frame's folder or in the package that the frame's file became."""
    folder = frame[:-1]
    stem = (*folder, frame[-1].rsplit(".", maxsplit=1)[0])
    inner = _inner(record, frame[0])
    if not inner or len(frame) < 2:  # noqa: PLR2004  a package and a file
        return False
    return inner[: len(stem)] == stem or (len(folder) > 0 and inner[: len(folder)] == folder)


def _inner(record: tuple[str, ...], package: str) -> tuple[str, ...]:
    """A record's path from its package on."""
    return record[record.index(package) :] if package in record[:-1] else ()


def modules_of(record_path: str) -> tuple[str, ...]:
    """The dotted names by which a program may know a record's file: no source folders, at least two parts."""
    record = _parts(record_path)
    parts = (
        [part for part in record[:-1] if part not in _SOURCE_ROOTS] + [record[-1].split(".", 1)[0]] if record else []
    )
    if parts and parts[-1] == "__init__":
        parts.pop()
    return tuple(".".join(parts[begin:]) for begin in range(min(2, len(parts) - 1)))


def packages_of(record_path: str, repository: str) -> frozenset[str]:
    """Names that a record's package may have, from its path below the usual source folders and from its repository."""
    record = _parts(record_path)
    names = {repository.casefold().rsplit("/", 1)[-1], repository.casefold()}
    for part in record[:4]:
        if part not in _SOURCE_ROOTS:
            names.add(part.rsplit(".", 1)[0] if part == record[-1] else part)
            break
    names |= {name.replace("-", "_") for name in names} | {name.replace("_", "-") for name in names}
    return frozenset(names)
