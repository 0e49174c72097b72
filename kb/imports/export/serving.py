"""Makes the layout of the current revision for the server: once a revision, by one process, beside what is served.

A file that is the same as in the revision before is that file, by a hard link, so that two revisions take little more
disk than one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from kb.catalog import queries
from kb.catalog.answers import CatalogView
from kb.imports.export import served
from kb.imports.export.contents import open_contents
from kb.imports.export.layout import LayoutWriter
from kb.imports.export.options import ExportReport
from kb.imports.export.packing import CountingWriter, copy_stream, packed
from kb.imports.export.running import told_ending
from kb.imports.progress import NoProgress, ProgressReporter
from kb.imports.refusals import Refusal

__all__ = ["is_being_made", "serve_layout"]

_KEPT = 2  # revisions
_SPARE = 64 * 1024 * 1024
_PACKED = ("manifest.json", "repos.json", "info/index.json", "search/")
_LEAST_PACKED = 1_024
_TRIES, _PAUSE = 20, 0.05  # of taking the lock; seconds


def serve_layout(*, force: bool = False, progress: ProgressReporter | None = None) -> ExportReport:
    """Makes the layout of the current revision where it is missing, or in any case with ``force``; says how that went.

    Never raises for what is wrong with the catalog, the disk or the database: the report's ``outcome`` is then
    ``refused`` or ``failed``. The layouts of the last two revisions that were made stay.
    """
    report = ExportReport(target=str(served.home()), form="layout")
    progress = progress or NoProgress()
    started = time.monotonic()
    try:
        with told_ending(report, report.target), _place() as place:
            _serve(place, report, progress, force=force)
            report.outcome = "exported"
    finally:
        progress.close()
        report.seconds = time.monotonic() - started
    return report


def is_being_made() -> bool:
    """Whether a process makes a layout at this moment."""
    try:
        handle = os.open(served.home() / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # others may look at the same time
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


@contextmanager
def _place() -> Iterator[Path]:
    """A directory to write into, gone at the end unless it was renamed. Raises ``Refusal`` while another one writes."""
    home = served.home()
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("a") as lock:
        _acquire(lock)
        place = home / ".partial"
        _clear(home)
        place.mkdir(mode=0o700)
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _acquire(lock: IO[str]) -> None:
    """Takes the lock; those who only look whether it is taken have it for a moment. Raises ``Refusal``."""
    for _ in range(_TRIES):
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_PAUSE)
    raise Refusal("locked", "", "another process makes the static dataset")


def _clear(home: Path) -> None:
    """What was left by a process that was killed."""
    for entry in home.glob(".*"):
        shutil.rmtree(entry, ignore_errors=True)


def _serve(place: Path, report: ExportReport, progress: ProgressReporter, *, force: bool) -> None:
    with queries.snapshot() as state:
        contents = open_contents(state, dataset=None, repositories=())
        report.revision, report.dataset_version = contents.revision, contents.version
        current, before = served.usable(state)
        if current is not None and not force:
            report.notices.append("The static dataset of this revision is there.")
            report.size = current.size
            return
        before = before or current
        _require_room(place, before)
        progress.phase("Making the static dataset", contents.expected)
        sink = _LinkingSink(place / "data", before)
        LayoutWriter(sink, place, report, served_at=served.root_of(state.revision)).write(contents, progress)
    _pack(place)
    _finish(place, state, report)
    _keep_few(state)


def _require_room(place: Path, before: served.ServedLayout | None) -> None:
    """Raises ``Refusal`` when the disk cannot hold a layout as large as the last one."""
    needed = _SPARE + (before.size * 5 // 4 if before else 0)
    status = os.statvfs(place)
    if status.f_bavail * status.f_frsize < needed:
        message = f"the data directory needs {needed // 2**20:,} MiB of free disk for the static dataset"
        raise Refusal("no_space", "", message)


class _LinkingSink:
    """A directory in which files that another layout has, too, are links to its files."""

    def __init__(self, root: Path, before: served.ServedLayout | None) -> None:
        self._root = root
        self._before = before.files if before else {}

    @contextmanager
    def file(self, name: str) -> Iterator[CountingWriter]:
        """A new file in the directory."""
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            writer = CountingWriter(file)
            yield writer
        same = self._before.get(name)
        if same is not None and (same.size, same.sha256) == (writer.size, writer.sha256):
            _link(same.path, path)

    def close(self) -> None:
        """Nothing is open."""


def _link(source: Path, path: Path) -> None:
    """Puts a link to ``source`` in the place of ``path``, where the disk can do that."""
    new = path.with_name(f".{path.name}.link")
    with suppress(OSError):
        new.hardlink_to(source)
        new.replace(path)


def _pack(place: Path) -> None:
    """Keeps what is fetched often compressed, too; the index has that form already."""
    data = place / "data"
    for path in sorted(data.rglob("*.json")):
        name = path.relative_to(data).as_posix()
        if not name.startswith(_PACKED) or path.stat().st_size < _LEAST_PACKED:
            continue
        target = place / "packed" / f"{name}.gz"
        target.parent.mkdir(parents=True, exist_ok=True)
        with path.open("rb") as plain, target.open("xb") as file, packed(CountingWriter(file), "gzip") as stream:
            copy_stream(plain, stream)
    target = place / "packed" / "index.json.gz"
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(data / "index.json.gz")
    except OSError:
        shutil.copyfile(data / "index.json.gz", target)


def _finish(place: Path, state: CatalogView, report: ExportReport) -> None:
    """Gives the directory its name; from then on it is served."""
    stamp = served.Stamp(served.FORMAT, state.revision, state.version, report.size)
    (place / served.STAMP).write_bytes(msgspec.json.encode(stamp))
    place.chmod(0o755)
    final, old = served.home() / str(state.revision), served.home() / ".old"
    if final.exists():  # of another catalog, damaged, or made anew
        final.rename(old)
    place.rename(final)
    shutil.rmtree(old, ignore_errors=True)


def _keep_few(state: CatalogView) -> None:
    """The layouts that nobody is to need any more go: all but the last two, and those of another catalog."""
    kept = 0
    numbers = [int(entry.name) for entry in served.home().iterdir() if entry.name.isdigit()]
    for number in sorted(numbers, reverse=True):
        layout = served.find(number)
        if layout is not None and (layout.is_of(state) or layout.is_before(state)) and kept < _KEPT:
            kept += 1
        else:
            shutil.rmtree(served.home() / str(number), ignore_errors=True)
