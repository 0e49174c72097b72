"""Which kind of source a name on the command line is."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from kb.imports.refusals import Refusal
from kb.imports.sources.addresses import is_address, parse_address
from kb.imports.sources.documents import Source
from kb.imports.sources.files import FileSource
from kb.imports.sources.layout import LayoutSource
from kb.imports.sources.remote import AddressSource
from kb.imports.sources.streams import shown_name
from kb.imports.sources.trees import MANIFEST, DirectoryTree, is_layout

__all__ = ["open_source", "shown_source"]


def shown_source(name: str) -> str:
    """What a source is called where others may read it: cleaned, and an address without its query. Never raises."""
    if not is_address(name):
        return shown_name(name)
    try:
        return parse_address(name).shown
    except Refusal as refusal:
        return refusal.origin


def open_source(name: str, *, spool: Path | None = None, shown: str = "") -> Source:
    """The source of this name: ``-`` is standard input, a directory is a published layout, a file holds records or is
    an archive of a layout; a base address stands for a layout, the address of a file for that file. A manifest stands
    for its directory.

    Nothing is read yet, and nothing is held open before ``read``; ``close`` it in any case. ``spool`` is where things
    may lie meanwhile, by default in the data directory; ``shown`` is what a file is called in messages, where that is
    not its path. Raises ``Refusal``: missing_file, no_manifest, unreadable or unsafe_address.
    """
    spool = spool or Path(settings.KB_DATA_DIR) / "spool"
    if name == "-":
        return FileSource("-", spool=spool)
    if is_address(name):
        return AddressSource(name, spool=spool)
    path = Path(name)
    try:
        if path.is_dir():
            if not is_layout(path) or not ((path / MANIFEST).exists() or (path / "data" / MANIFEST).exists()):
                message = (
                    "the directory has no manifest.json; give that of a published dataset, or its files one by one"
                )
                raise Refusal("no_manifest", name, message)
            return LayoutSource(DirectoryTree(path))
        if not path.exists():
            raise Refusal("missing_file", name, "there is no such file or directory")
        if path.name == MANIFEST:
            return LayoutSource(DirectoryTree(path.parent))
        if not path.is_file() and not path.is_fifo():
            raise Refusal("unreadable", name, "is neither a file nor a directory")
    except (OSError, ValueError) as error:
        raise Refusal("unreadable", name, f"cannot be looked at: {error}") from error
    return FileSource(name, spool=spool, name=shown)
