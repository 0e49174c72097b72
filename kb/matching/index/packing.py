"""Arrays of numbers in as few bytes as they need, three included; pure."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "narrow", "number_at", "numbers_at", "widen"]

Array = npt.NDArray[Any]

_THREE: Final = 3
_MOST_OF_THREE: Final = (1 << 24) - 1


def narrow(values: Array) -> Array:
    """The same numbers, none negative, in the narrowest type that holds them.

    Numbers of three bytes are rows of bytes, which numpy has no type for.
    """
    most = int(values.max()) if values.size else 0
    if most > np.iinfo(np.uint32).max:
        return values.astype(np.uint64)
    if np.iinfo(np.uint16).max < most <= _MOST_OF_THREE:
        return np.ascontiguousarray(values.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :_THREE])
    kinds = (np.uint8, np.uint16, np.uint32)
    return values.astype(next(kind for kind in kinds if most <= np.iinfo(kind).max))


def widen(values: Array) -> Array:
    """The numbers of a narrow array, in a type to calculate with."""
    if values.ndim == 1:
        return values if values.dtype == np.uint64 else values.astype(np.int64)
    full = np.zeros((len(values), 4), dtype=np.uint8)
    full[:, :_THREE] = values
    return full.view("<u4").reshape(-1).astype(np.int64)


def numbers_at(values: Array, places: Array | slice) -> Array:
    """Some numbers of a narrow array."""
    return widen(values[places])


def number_at(values: Array, place: int) -> int:
    """One number of a narrow array."""
    return int(values[place]) if values.ndim == 1 else int.from_bytes(values[place].tobytes(), "little")
