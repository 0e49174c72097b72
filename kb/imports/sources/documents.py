"""What a source yields, before anything is decoded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Fault", "Preparation", "RawArticle", "RawRecord", "RawRepository", "Source", "SourceItem"]


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


class Preparation(Protocol):
    """Told how far a source is that has to be fetched first. What it raises stops the source."""

    def phase(self, name: str, total: int | None = None) -> None:
        """A part begins, of ``total`` files where that is known."""

    def advance(self, count: int) -> None:
        """``count`` more files are there."""


class Source(Protocol):
    """One source of a dataset: ``unchanged`` is asked, else it is read to its end; then ``memory``, ``close``."""

    @property
    def name(self) -> str:
        """What the source is called in reports."""

    @property
    def complete(self) -> bool:
        """Whether what is not in the source is gone, by the source's own shape (certain after reading)."""

    @property
    def version(self) -> str:
        """The dataset version that the source names, empty when it names none (known at the latest after reading)."""

    @property
    def expected(self) -> int | None:
        """How many records the source says it has."""

    @property
    def notices(self) -> list[str]:
        """What the person who imports should know and refuses nothing (after reading)."""

    def unchanged(self, remembered: Mapping[str, Any]) -> bool:
        """Whether the source is what it was when :meth:`memory` gave ``remembered``; asked before anything is read.

        Any mapping may be asked, also one of another source. Costs a look, one conditional request, or the hash of a
        file. Raises ``Refusal``.
        """

    def prepare(self, progress: Preparation) -> None:
        """Brings here what is elsewhere. ``read`` does it otherwise, without telling. Raises ``Refusal``."""

    def read(self) -> Iterator[SourceItem]:
        """The documents of the source, as a stream. Raises ``Refusal``."""

    def memory(self) -> dict[str, Any]:
        """What ``unchanged`` of a later run needs, as JSON; after a whole reading, empty where nothing can be told."""

    def close(self) -> None:
        """Lets go of files, and of what was fetched if it was read to its end or is of no use."""
