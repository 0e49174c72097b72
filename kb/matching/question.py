"""What one fault asks of the index: its words, its class, its frames and codes, made ready for comparison."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kb.matching import tuning
from kb.matching.answers import Context
from kb.matching.index.tables import message_key
from kb.matching.paths import Place, frame_place
from kb.matching.reading.folding import fold
from kb.matching.reading.secrets import Masked, mask
from kb.matching.runtime import GENERIC_CLASSES, is_runtime_message, is_universal_message
from kb.matching.shapes import Fault, Frame

__all__ = ["Question", "last_name", "words"]

_WORD: Final = re.compile(r"\w+")
_NAME: Final = re.compile(r"[.$\\/]|::")
_DOTTED: Final = re.compile(r"\b[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,12}")
_MOST_NAMES: Final = 60
_MOST_WORDS: Final = 600
_MOST_TEXT: Final = 20_000  # characters of one message whose words are counted


def words(text: str) -> tuple[str, ...]:
    """The words of a folded text in lower case, in order."""
    return tuple(_WORD.findall(text[:_MOST_TEXT].casefold())[:_MOST_WORDS])


def last_name(name: str) -> str:
    """The class without its package: ``NoRegionError`` of ``botocore.exceptions.NoRegionError``."""
    return _NAME.split(name)[-1]


@dataclass(frozen=True)
class Question:
    """A fault with what the caller knows, in the forms that evidence is judged by. ``around`` are frames of faults that
    belong to it: of its wrappers, when it has none of its own.
    """

    fault: Fault
    context: Context
    languages: frozenset[str]
    around: tuple[Frame, ...] = ()

    @cached_property
    def text(self) -> str:
        """What is searched for patterns: the message, or what a cut trace quotes."""
        return self.fault.message or self.fault.quoted

    @cached_property
    def message_key(self) -> int:
        """What equal messages have in common."""
        return message_key(self.fault.message)

    @cached_property
    def masked(self) -> Masked:
        """The text with its secrets masked."""
        return mask(self.text)

    @property
    def is_quoted(self) -> bool:
        """Whether the text is source code around the raise, since the message is cut off."""
        return not self.fault.message

    @cached_property
    def words(self) -> frozenset[str]:
        """The distinct words of the text."""
        return frozenset(words(fold(self.text)))

    @cached_property
    def cls(self) -> str:
        """The class without its package."""
        return last_name(self.fault.cls)

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes in lower case."""
        return frozenset(code.casefold() for code in self.fault.codes)

    @cached_property
    def is_generic(self) -> bool:
        """Whether the class says nothing about who raised it."""
        return not self.cls or self.cls in GENERIC_CLASSES

    @cached_property
    def class_package(self) -> str:
        """The outermost package of the class as printed."""
        parts = _NAME.split(self.fault.cls)
        return parts[0].casefold() if len(parts) > 1 else ""

    @cached_property
    def modules(self) -> frozenset[str]:
        """Dotted names in the message, in lower case, each with what stands before its dots."""
        found: set[str] = set()
        for name in _DOTTED.findall(self.text[:_MOST_TEXT])[:_MOST_NAMES]:
            parts = name.casefold().split(".")
            found.update(".".join(parts[:count]) for count in range(2, len(parts) + 1))
        return frozenset(found)

    @cached_property
    def is_runtime(self) -> bool:
        """Whether the message is a runtime's own."""
        return bool(self.fault.message) and is_runtime_message(self.fault.message)

    @cached_property
    def is_universal(self) -> bool:
        """Whether the message is a universal word or two."""
        return bool(self.fault.message) and is_universal_message(self.fault.message)

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """The frames nearest the raise first."""
        return (self.fault.frames or self.around)[: tuning.MAX_FRAMES]

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where the frames are."""
        return tuple(frame_place(frame.path) for frame in self.frames)

    @cached_property
    def packages(self) -> dict[str, int]:
        """The packages of the frames; how many other packages lie between each and the raise."""
        order: dict[str, int] = {}
        for place in self.places:
            if place.package:
                order.setdefault(place.package, len(order))
        return order

    @cached_property
    def named(self) -> frozenset[str]:
        """Packages and repositories that the caller names, in lower case."""
        return frozenset(name.casefold() for name in (*self.context.packages, *self.context.repositories))
