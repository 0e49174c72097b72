"""What a source yields, before anything is decoded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Fault", "RawArticle", "RawRecord", "RawRepository", "Source", "SourceItem"]


@dataclass(frozen=True, slots=True)
class RawRecord:
    """The bytes of one record. ``repo`` is the repository whose file it stands in, where the shape says so."""

    origin: str
    position: int
    raw: bytes
    repo: str | None = None


@dataclass(frozen=True, slots=True)
class RawRepository:
    """The bytes of one repository's description."""

    origin: str
    position: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class RawArticle:
    """The bytes of one background article."""

    origin: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """A place where a record should be and cannot even be cut out. It is rejected alone."""

    origin: str
    position: int
    code: str
    message: str
    raw: bytes = b""


SourceItem = RawRecord | RawRepository | RawArticle | Fault


class Source(Protocol):
    """One source of a dataset."""

    @property
    def name(self) -> str:
        """What the source is called in reports."""

    @property
    def complete(self) -> bool:
        """Whether what is not in the source is gone, by the source's own shape."""

    @property
    def version(self) -> str:
        """The dataset version that the source names, empty when it names none (known at the latest after reading)."""

    @property
    def expected(self) -> int | None:
        """How many records the source says it has."""

    def read(self) -> Iterator[SourceItem]:
        """The documents of the source, as a stream. Raises ``Refusal``."""
