"""HTML entities, as in a text copied from the source of a page; pure."""

from __future__ import annotations

import re
from typing import Final

from kb.matching.reading.drafts import Draft

__all__ = ["ENTITY_SIGNS", "decode_entities"]

ENTITY_SIGNS: Final = ("&lt;", "&gt;", "&quot;", "&#39;", "&#x27;", "&#34;", "&#039;")
"""Without one of these a text was not escaped: a lone ``&amp;`` may be its own."""
_NAMED: Final = {"lt": "<", "gt": ">", "quot": '"', "apos": "'", "amp": "&", "nbsp": " "}
_ENTITY: Final = re.compile(r"&(?:(lt|gt|quot|apos|amp|nbsp)|#([0-9]{1,6})|#[xX]([0-9a-fA-F]{1,5}));")


def decode_entities(drafts: list[Draft], seen: set[str]) -> list[Draft]:
    """Decode the entities of a text that was escaped, as one of the signs in it shows."""
    seen.add("entities")
    for draft in drafts:
        if "&" in draft.text:
            pieces = [(found.start(), found.end(), _decoded(found)) for found in _ENTITY.finditer(draft.text)]
            if pieces:
                draft.replace(pieces)
    return drafts


def _decoded(found: re.Match[str]) -> str:
    """The character of an entity; a control character or a surrogate stays as written."""
    if found[1]:
        return _NAMED[found[1]]
    number = int(found[2]) if found[2] else int(found[3], 16)
    if number < ord(" ") or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:  # noqa: PLR2004  Unicode's own bounds
        return found[0]
    return chr(number)
