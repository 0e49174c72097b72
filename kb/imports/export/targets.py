"""Which form a name asks for, and how a finished export is put in its place.

An export is written beside its target and renamed once it is whole. What was there before stays until then. The place
beside it is locked while it is used; what a killed export left there goes with the next one to the same target.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kb.imports.export.options import Form
from kb.imports.export.packing import Packing
from kb.imports.refusals import Refusal

__all__ = ["LAYOUT_NAMES", "Target", "put_in_place", "target_of"]

STANDARD_OUTPUT = "-"
LAYOUT_NAMES = frozenset({"manifest.json", "repos.json", "repos", "index.json", "index.json.gz", "info"})
"""What stands at the top of a layout that an export has written."""

_Kind = Literal["directory", "tar", "zip", "lines"]
_ENDINGS: dict[str, tuple[_Kind, Packing]] = {
    ".tar": ("tar", ""),
    ".tar.gz": ("tar", "gzip"),
    ".tgz": ("tar", "gzip"),
    ".tar.zst": ("tar", "zstd"),
    ".zip": ("zip", ""),
    ".jsonl": ("lines", ""),
    ".jsonl.gz": ("lines", "gzip"),
    ".jsonl.zst": ("lines", "zstd"),
    ".ndjson": ("lines", ""),
    ".ndjson.gz": ("lines", "gzip"),
    ".ndjson.zst": ("lines", "zstd"),
}
_FOREIGN = (".json", ".gz", ".zst", ".bz2", ".xz", ".7z", ".rar", ".csv", ".txt", ".sqlite3")


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is to be written, and where; no ``path`` is standard output."""

    kind: _Kind
    packing: Packing
    path: Path | None

    @property
    def form(self) -> Form:
        """Whether it is a layout or lines."""
        return "jsonl" if self.kind == "lines" else "layout"

    @property
    def name(self) -> str:
        """What it is called in reports."""
        return "standard output" if self.path is None else str(self.path)


def target_of(name: str, form: Form | None = None) -> Target:
    """The target that ``name`` asks for. Raises ``ValueError``, with what is possible, when it says nothing we write or
    something other than ``form``.
    """
    if name == STANDARD_OUTPUT:
        return Target(kind="tar" if form == "layout" else "lines", packing="", path=None)
    if not name or "\0" in name:
        raise ValueError("a target has a name")
    path = Path(name)
    lower = path.name.lower()
    ending = max((known for known in _ENDINGS if lower.endswith(known)), key=len, default="")
    if not ending and lower.endswith(_FOREIGN) and not path.is_dir():
        raise ValueError(f"no export ends in {path.suffix}; the endings are {', '.join(_ENDINGS)}, none is a directory")
    kind, packing = _ENDINGS[ending] if ending else ("directory", "")
    target = Target(kind=kind, packing=packing, path=path)
    if form is not None and form != target.form:
        raise ValueError(f"{name} would be a {target.form}, not {form}; the endings are {', '.join(_ENDINGS)}")
    return target


# --- the place beside it ----------------------------------------------------------------------------------------------


@contextmanager
def put_in_place(path: Path, *, directory: bool) -> Iterator[tuple[Path, Path]]:
    """Yields where to write what becomes ``path``, and a directory for what is needed meanwhile, both beside it.

    Renames the first when the block ends without an exception, and takes the rest away in any case. Raises ``Refusal``
    when ``path`` is something that an export must not replace, or another one is writing there.
    """
    final = Path(os.path.realpath(path))  # of a link, what it leads to is replaced
    _check_replaceable(final, directory=directory)
    workspace = final.parent / f".{final.name}.partial"
    handle = _lock(workspace)
    try:
        _recover(final, workspace)
        new = workspace / "new"
        if directory:
            new.mkdir()
        yield new, workspace
        _replace(new, final, workspace)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)
        os.close(handle)


def _check_replaceable(final: Path, *, directory: bool) -> None:
    if not final.parent.is_dir():
        raise Refusal("bad_target", str(final), "there is no such directory to write into")
    if not os.path.lexists(final):
        return
    if not directory:
        if not final.is_file():
            raise Refusal("bad_target", str(final), "this is no regular file; write to - instead")
        return
    if not final.is_dir():
        raise Refusal("bad_target", str(final), "this is a file; for a file, the name says which kind it is")
    foreign = sorted(entry.name for entry in os.scandir(final) if entry.name not in LAYOUT_NAMES)
    if foreign:
        message = f"the directory holds {foreign[0]}, which no export has written; it is not replaced"
        raise Refusal("bad_target", str(final), message)
    if os.path.ismount(final):
        raise Refusal("bad_target", str(final), "a mount cannot be replaced in one step; name a directory inside of it")


def _lock(workspace: Path) -> int:
    """Makes the workspace and locks it; the handle goes, with the lock, when it is closed or the process ends."""
    for _ in range(3):
        workspace.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if workspace.exists() and os.path.samestat(workspace.stat(), os.fstat(handle)):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise Refusal("locked", str(workspace), "another export is writing there") from None
        os.close(handle)  # the other one took its directory away just now
    raise Refusal("locked", str(workspace), "another export is writing there")


def _recover(final: Path, workspace: Path) -> None:
    """Empties the workspace of what a killed export left; a directory that it had just moved away comes back."""
    old = workspace / "old"
    if old.exists() and not final.exists():
        old.rename(final)
    for entry in workspace.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _replace(new: Path, final: Path, workspace: Path) -> None:
    """Puts ``new`` where ``final`` is. A directory cannot be replaced in one step, so for a moment there is none."""
    if not new.is_dir():
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(final)
        return
    old = workspace / "old"
    if final.exists():
        final.rename(old)
    try:
        new.rename(final)
    except OSError:
        if old.exists():
            old.rename(final)
        raise
