"""The arrays of an index in one file, with a table of contents, and the manifest that vouches for both.

The file is mapped, so all processes share it. Its size and its SHA-256 are checked when it is opened: it is small.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from kb.matching.index.packing import Array
from kb.search.errors import SearchUnavailable
from kb.search.files import MANIFEST, Manifest, read_manifest, sum_problems, sums, write_manifest

__all__ = ["FORMAT", "MANIFEST", "checked", "read_arrays", "write_index"]

FORMAT: Final = "match-7"
"""Changes whenever arrays, folding or patterns are understood otherwise."""
_ARRAYS: Final = "arrays.bin"
_CONTENTS: Final = "contents.json"
_ALIGNED: Final = 64
_REBUILD: Final = "Rebuild it from the database."


class _Place(msgspec.Struct, frozen=True, array_like=True):
    """Where an array stands in the file."""

    dtype: str
    shape: tuple[int, ...]
    offset: int


def write_index(folder: Path, arrays: Mapping[str, Array], revision: int) -> Manifest:
    """Write the arrays and the manifest into an empty folder."""
    contents: dict[str, _Place] = {}
    with (folder / _ARRAYS).open("wb") as file:
        for name, array in arrays.items():
            file.write(bytes(-file.tell() % _ALIGNED))
            contents[name] = _Place(array.dtype.str, array.shape, file.tell())
            file.write(np.ascontiguousarray(array).data if array.size else b"")
        file.write(bytes(_ALIGNED))  # an empty file cannot be mapped
    (folder / _CONTENTS).write_bytes(msgspec.json.encode(contents))
    manifest = Manifest(
        format=FORMAT,
        revision=revision,
        documents=len(arrays["row.id"]),
        replaced=0,
        files=sums(folder, known={}, base=None),
    )
    write_manifest(folder, manifest)
    return manifest


def checked(folder: Path) -> Manifest:
    """The manifest of a folder whose files are what it says. Raises :class:`SearchUnavailable` otherwise."""
    name = folder.name
    try:
        manifest = read_manifest(folder)
    except FileNotFoundError:
        raise SearchUnavailable(f"There is no match index of revision {name}. {_REBUILD}") from None
    except (OSError, msgspec.DecodeError) as problem:
        raise SearchUnavailable(
            f"The manifest of the match index of revision {name} is damaged. {_REBUILD}"
        ) from problem
    if manifest.format != FORMAT:
        raise SearchUnavailable(
            f"The match index of revision {name} was made by another version of this program. {_REBUILD}"
        )
    if problems := sum_problems(folder, manifest):
        raise SearchUnavailable(f"The match index of revision {name} is damaged: {problems[0]}. {_REBUILD}")
    return manifest


def read_arrays(folder: Path) -> dict[str, Array]:
    """The arrays of a folder that was checked, mapped and read-only."""
    contents = msgspec.json.decode((folder / _CONTENTS).read_bytes(), type=dict[str, _Place])
    with (folder / _ARRAYS).open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return {
        name: np.frombuffer(
            mapped, dtype=place.dtype, count=int(np.prod(place.shape, dtype=np.int64)), offset=place.offset
        ).reshape(place.shape)
        for name, place in contents.items()
    }
