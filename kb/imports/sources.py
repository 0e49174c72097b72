"""Which kind of source a name on the command line is."""

from __future__ import annotations

from pathlib import Path

from kb.imports.documents import Source
from kb.imports.files import FileSource
from kb.imports.layout import MANIFEST, LayoutSource, is_layout
from kb.imports.refusals import Refusal

__all__ = ["open_source"]


def open_source(name: str) -> Source:
    """The source of this name: ``-`` is standard input, a directory is a published layout, a file holds records.

    Raises ``Refusal``: missing_file, no_manifest or unreadable. A manifest stands for its directory.
    """
    if name == "-":
        return FileSource("-")
    if name.startswith(("http://", "https://")):
        raise Refusal("unknown_shape", name, "addresses are not read; download the dataset and give its directory")
    path = Path(name)
    try:
        if path.is_dir():
            if not is_layout(path) or not ((path / MANIFEST).exists() or (path / "data" / MANIFEST).exists()):
                message = (
                    "the directory has no manifest.json; give that of a published dataset, or its files one by one"
                )
                raise Refusal("no_manifest", name, message)
            return LayoutSource(path)
        if not path.exists():
            raise Refusal("missing_file", name, "there is no such file or directory")
        if path.name == MANIFEST:
            return LayoutSource(path.parent)
        if not path.is_file() and not path.is_fifo():
            raise Refusal("unreadable", name, "is neither a file nor a directory")
    except (OSError, ValueError) as error:
        raise Refusal("unreadable", name, f"cannot be looked at: {error}") from error
    return FileSource(name)
