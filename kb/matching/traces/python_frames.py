"""The frames of a Python trace in every layout: the interpreter's, IPython's, rich's; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from kb.matching.traces.drafts import MAX_FRAME_LINE, number

__all__ = ["Mention", "broken_frame", "frame_in", "gutter_of", "is_bar", "listing_line", "listing_text"]

_AFTER: Final = re.compile(r'",? line (\d{1,9})(?:, in |,? in |$|[\s,.])')
_LISTED: Final = re.compile(
    r"[ \t]{0,80}(?P<arrow>-{1,10}>|❱|>)?[ \t]{0,20}(?P<line>\d{1,7})(?P<bar>[ \t]{0,4}[│|])?(?:[ \t]|$)"
)
_SOURCES: Final = (".py", ".pyx", ".pyi", ".pxi", ".pxd", ".pyw", ".ipynb", ".so", ".pyc", ".py3")
_MOST_GUTTERS: Final = 12


@dataclass(frozen=True, slots=True)
class Mention:
    """A line that names a place. ``listed`` says that a listing follows, which an arrow may give the line number of."""

    path: str
    line: int | None
    function: str
    listed: bool = False


def gutter_of(text: str) -> int:
    """The length of the ``|`` and ``+-+---- 1 ----`` gutters of an exception group that the line begins with."""
    end = 0
    for _ in range(_MOST_GUTTERS):
        place = end + len(text[end : end + 200]) - len(text[end : end + 200].lstrip(" \t"))
        if text[place : place + 1] == "|" and text[place + 1 : place + 2] in ("", " ", "\t"):
            end = place + 1
        elif text[place : place + 2] == "+ ":
            return place + 2
        elif text[place : place + 2] == "+-":
            return place
        else:
            break
    return end + 1 if end and text[end : end + 1] == " " else end


def is_bar(text: str) -> bool:
    """Whether a line without its gutters is ``+-+---- 1 ----`` or its like, not the border of a table."""
    return text.startswith("+-") and not text.strip("+- .0123456789") and not text.rstrip().endswith("+")


def frame_in(text: str) -> Mention | None:
    """The frame that a line (without gutters) is, or ``None``."""
    if len(text) > MAX_FRAME_LINE:
        return None
    bare = text.strip()
    if not bare:
        return None
    return _standard(bare) or _notebook(bare) or _rich(bare)


def _standard(bare: str) -> Mention | None:
    """``File "path", line 3, in name``; the beginning may be lost, in the path or before it."""
    place = bare.find('", line ')
    if place < 0:
        place = bare.find('" line ')
    found = _AFTER.match(bare, place) if place >= 0 else None
    if found is None:
        return None
    before, opened, path = bare[:place].rpartition('File "')
    if not opened:
        path = bare[:place].lstrip('"')
        if " in " in path or not ("/" in path or "\\" in path or path.endswith(_SOURCES)):
            return None
    elif before.strip(" .*-#>|`'\"") not in ("", "in"):
        return None
    tail = bare[found.start(1) + len(found[1]) :]
    function = tail.lstrip(" ,").removeprefix("in ") if tail.lstrip(" ,").startswith("in ") else ""
    return Mention(path.removeprefix("..."), number(found[1]), function.strip().rstrip("`")) if path else None


def _notebook(bare: str) -> Mention | None:
    """IPython's forms, old and new."""
    if bare.startswith("File ") and '"' not in bare:
        place, comma, function = bare[5:].partition(", in ")
        path, _, line = place.rpartition(":")
        found = path and number(line) is not None
        return Mention(path.strip(), number(line), _callee(function) if comma else "", listed=True) if found else None
    if bare.startswith(("Cell In[", "Cell In [", "Input In [")):
        head, _, rest = bare.partition("]")
        line = rest.removeprefix(", line ").partition(",")[0].strip()
        return Mention(head + "]", number(line), _callee(rest.partition(" in ")[2]), listed=True)
    path, marked, function = bare.partition(" in ")
    if not marked:
        return None
    if bare.startswith("[") and "](" in path and path.endswith(")"):  # a link of a notebook: [path](url)
        path = path[1:].partition("](")[0]
    elif " " in path.strip() or not function.rstrip().endswith((")", ">")):
        return None
    shaped = path.startswith("<ipython-input") or path.endswith(_SOURCES)
    return Mention(path, None, _callee(function), listed=True) if shaped else None


def _rich(bare: str) -> Mention | None:
    """``/path/x.py:1806 in launch``, and pytest's short ``path/x.py:1806: in launch``."""
    place, marked, function = bare.rpartition(" in ")
    path, _, line = place.removesuffix(":").rpartition(":")
    name = function.strip()
    if not marked or number(line) is None or not path or "://" in path:
        return None
    if not (path.endswith(_SOURCES) or path.startswith(("<", "/", "~")) or path[1:3] == ":\\"):
        return None
    if path.startswith("at ") or not name or (" " in name and name[0] != "<"):
        return None
    return Mention(path, number(line), name, listed=not place.endswith(":"))


def broken_frame(text: str, below: str) -> Mention | None:
    """The frame of rich that was too long for the box and goes on in the line below."""
    first, second = text.strip(), below.strip()
    if not second or (not first.startswith(("/", "~", "<")) and first[1:3] != ":\\"):
        return None
    if len(first) + len(second) > MAX_FRAME_LINE or ("/" not in first and "\\" not in first):
        return None
    between = " " if first.endswith(" in") or second.startswith("in ") else ""
    return _rich(f"{first}{between}{second}") if between or " " not in first else None


def _callee(text: str) -> str:
    """The name of ``name(args)``."""
    text = text.strip()
    if text.startswith("<"):
        return text[: text.find(">") + 1] or text
    return text.partition("(")[0].strip()


def listing_line(text: str) -> tuple[int, bool] | None:
    """The number of a line of a source listing, and whether an arrow points at it."""
    found = _LISTED.match(text)
    return (int(found["line"]), bool(found["arrow"])) if found else None


def listing_text(text: str) -> str:
    """The source that a line of a listing shows."""
    found = _LISTED.match(text)
    return text[found.end() :] if found else text
