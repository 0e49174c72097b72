"""The fields of a fault without the secrets of its text; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kb.matching.answers import Capture
from kb.matching.reading.secrets import Masked, mask
from kb.matching.shapes import Fault

__all__ = ["Hiding"]

_SHORTEST: Final = 8  # characters of a secret that is looked for elsewhere: shorter ones are words of other things
_ENDS: Final = ".,:;"  # belong to the sentence
_MOST: Final = 64  # secrets that are looked for elsewhere, so that the cost stays linear in the text


class Hiding:
    """Hides secrets in the parts that were read from a text.

    A part is masked by what it says itself. A parser may also cut a secret off from what shows it to be one (the class
    in ``api_key=….Error: text``), so the secrets that the whole text was seen to hold are hidden in each part as well.
    """

    def __init__(self, original: str, masked: Masked) -> None:
        found = {
            original[start:end].rstrip(_ENDS): masked.text[slice(*target)]
            for start, end, target in zip(masked.starts, masked.ends, masked.targets, strict=True)
            if len(original[start:end].rstrip(_ENDS)) >= _SHORTEST
        }
        self._known = sorted(found.items(), key=lambda pair: -len(pair[0]))[:_MOST]

    def known(self, text: str) -> str:
        """``text`` without the secrets that the whole text was seen to hold."""
        for secret, mark in self._known:
            text = text.replace(secret, mark)
        return text

    def capture(self, capture: Capture) -> Capture:
        """``capture``, whose value is masked by itself, as it may be shown."""
        return replace(capture, value=self.known(capture.value))

    def fault(self, fault: Fault, message: str) -> Fault:
        """``fault`` as it may be shown, with ``message``, which is masked by itself, as its message."""
        frames = fault.frames
        paths = self._each([frame.path for frame in frames])
        functions = self._each([frame.function for frame in frames])
        sources = self._each([frame.source for frame in frames])
        return replace(
            fault,
            cls=self._one(fault.cls),
            message=self.known(message),
            quoted=self._one(fault.quoted),
            notes=tuple(map(self._one, fault.notes)),
            codes=tuple(map(self._one, fault.codes)),
            frames=tuple(
                replace(frame, path=path, function=function, source=source)
                for frame, path, function, source in zip(frames, paths, functions, sources, strict=True)
            ),
        )

    def _one(self, text: str) -> str:
        return self.known(mask(text).text) if text else ""

    def _each(self, texts: Sequence[str]) -> Sequence[str]:
        """Each text as :meth:`_one` gives it; together, since a trace may have thousands of frames."""
        joined = "\n".join(texts)
        hidden = self._one(joined)
        if hidden == joined:
            return texts
        return list(map(self._one, texts))
