"""The lines of a .NET or Mono stack trace: frames, also in other languages, and the heads that name an exception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kb.matching.shapes import Frame
from kb.matching.traces.drafts import MAX_FRAME_LINE, indent_of, location, name_end, number

__all__ = ["ARROW", "Head", "frame_in", "head_at", "head_in", "head_inside", "heads_in"]

ARROW: Final = "---> "

_LEADS: Final = ("at ", "bei ", "\N{LATIN SMALL LETTER A WITH GRAVE} ", "en ", "em ", "in ", "w ", "\u0432 ", "\u5728 ")
"""What stands before a frame: English, German, French, Spanish, Portuguese, Italian, Polish, Russian, Chinese."""

_SOURCES: Final = (".cs:", ".vb:", ".fs:", ".razor:", ".cshtml:")
_NOT_ARGUMENTS: Final = ("Native Method", "Unknown Source")
_LABELS: Final = (
    "Unhandled exception. ",
    "Unhandled Exception: ",
    "Unhandled exception: ",
    "[ERROR] FATAL UNHANDLED EXCEPTION: ",
    "FATAL UNHANDLED EXCEPTION: ",
    "UNHANDLED EXCEPTION: ",
    "Exception Info: ",
)
_MEMBER: Final = "(Inner Exception #"
_RUNTIME: Final = ("System.", "Microsoft.")
_MAX_LABEL_LINE: Final = 600
_MAX_HEADS: Final = 20
_MAX_BLANKS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where an exception begins. ``end`` is the column where its message ends on its line when another one follows
    there; ``inner`` says that an arrow points to it, ``member`` that it is one of a group; ``sure`` that no stack is
    needed to tell that it is .NET's.
    """

    cls: str
    column: int
    end: int | None = None
    code: str = ""
    inner: bool = False
    member: bool = False
    sure: bool = False


def frame_in(text: str, at: int) -> Frame | None:
    """The frame that line ``at`` with ``text`` is; None when it is none."""
    if len(text) > MAX_FRAME_LINE or "(" not in text:
        return None
    bare = text.strip().removesuffix("<---").rstrip(" .")
    if " (at " in bare:
        return _unity(bare, at)
    lead = next((lead for lead in _LEADS if bare.startswith(lead)), "")
    name, _, behind = bare[len(lead) :].partition("(")
    arguments, close, tail = behind.partition(")")
    if not lead or not close or not name.strip():
        return None
    if tail:
        return _placed(tail.strip(), _function(name.strip()), at)
    plain = lead == "at " and " " not in name and ("." in name or name.startswith("lambda_method"))
    if not plain or not _are_arguments(arguments):
        return None
    return Frame(path="", line=None, function=_function(name), at=at)


def heads_in(text: str) -> list[Head]:
    """The exceptions that ``text`` begins and those that arrows in it point to, outermost first."""
    first = head_in(text)
    heads = [first] if first is not None else []
    place = text.find(ARROW)
    while place >= 0 and len(heads) < _MAX_HEADS:
        head = head_at(text, place + len(ARROW), inner=True)
        if head is not None and not (heads and heads[-1].column > place):
            heads.append(head)
        place = text.find(ARROW, place + len(ARROW))
    return [
        _bounded(text, head, heads[place + 1] if place + 1 < len(heads) else None) for place, head in enumerate(heads)
    ]


def head_in(text: str) -> Head | None:
    """The head at the start of ``text``; None when it is none."""
    start = indent_of(text)
    label = next((label for label in _LABELS if text.startswith(label, start)), "")
    if text.startswith(ARROW, start):
        return head_at(text, start + len(ARROW), inner=True)
    return head_at(text, start + len(label), sure=bool(label))


def head_inside(text: str) -> Head | None:
    """The first exception with a namespace and a message that ``text`` names; None when there is none."""
    place = text.find("Exception: ", 0, _MAX_LABEL_LINE)
    if place < 0:
        return None
    begin = place
    while begin > 0 and (text[begin - 1].isalnum() or text[begin - 1] in "._+`"):
        begin -= 1
    head = head_at(text, begin)
    return head if head is not None and "." in head.cls else None


def head_at(text: str, start: int, *, inner: bool = False, sure: bool = False) -> Head | None:
    """The head whose class stands at ``start``."""
    member = text.startswith(_MEMBER, start)
    if member:
        close = text.find(") ", start, start + 40)
        if close < 0:
            return None
        start = close + 2
    end = name_end(text, start)
    while end > start and end < len(text) and text[end] in "+`":
        end = max(name_end(text, end + 1), end + 1)
        while end < len(text) and text[end].isdigit():
            end += 1
    name = text[start:end]
    if not name.endswith("Exception") and not ((inner or sure) and "." in name):
        return None
    code = ""
    if text.startswith(" (", end):
        close = text.find("):", end, end + 40)
        code, end = (text[end + 2 : close], close + 1) if close >= 0 else ("", end)
    rest = text[end : end + 2]
    if rest.strip() and rest != ": ":
        return None
    if rest.strip() == "" and not _ends(text, end):
        return None
    return Head(
        cls=name,
        column=end + 1 if rest[:1] == ":" else end,
        code=code if code.isascii() and code.lstrip("-").isalnum() else "",
        inner=inner,
        member=member,
        sure=sure or inner or (name.startswith(_RUNTIME) and name.endswith("Exception")),
    )


def _ends(text: str, end: int) -> bool:
    """Whether only blanks stand between ``end`` and the line's end or an arrow."""
    rest = text[end : end + _MAX_BLANKS].lstrip()
    return not rest or rest.startswith(ARROW)


def _bounded(text: str, head: Head, following: Head | None) -> Head:
    """``head`` with the end of its message before the arrow to the ``following`` one."""
    if following is None:
        return head
    end = text.rfind(ARROW, 0, following.column)
    return Head(
        cls=head.cls,
        column=head.column,
        end=len(text[:end].rstrip()),
        code=head.code,
        inner=head.inner,
        member=head.member,
        sure=True,
    )


def _unity(bare: str, at: int) -> Frame | None:
    """``Player.Update () (at Assets/Player.cs:12)``."""
    name, _, place = bare.partition(" (at ")
    path, line, _ = location(place.removesuffix(")"))
    if line is None or not path.endswith(".cs"):
        return None
    return Frame(path=path, line=line, function=name.partition("(")[0].strip().replace(":", "."), at=at)


def _placed(tail: str, function: str, at: int) -> Frame | None:
    """A frame with ``in /app/x.cs:line 12`` behind it, the words in any language, or ``[0x00012] in x.cs:12``."""
    if tail.startswith("[0x"):
        path, mono_line, _ = location(tail.partition("] in ")[2])
        known = not path.startswith("<")
        return Frame(path=path if known else "", line=mono_line if known else None, function=function, at=at)
    word, _, place = tail.partition(" ")
    if word == "in" and ":line " in place:
        path, _, line = place.rpartition(":line ")
        return Frame(path=path, line=number(line), function=function, at=at) if number(line) is not None else None
    source = next((source for source in _SOURCES if source in place), "")
    if not source:
        return None
    before, _, after = place.rpartition(source)
    last = number(after.split(" ")[-1].rstrip("."))
    return Frame(path=before + source[:-1], line=last, function=function, at=at)


def _are_arguments(arguments: str) -> bool:
    """Whether what stands in parentheses is a list of types with names."""
    if arguments in _NOT_ARGUMENTS or ":" in arguments:
        return False
    return all(" " in argument.lstrip() for argument in arguments.split(",")) or not arguments.strip()


def _function(name: str) -> str:
    """A method's name; that of an async method instead of its state machine's."""
    if not name.endswith(".MoveNext"):
        return name
    owner, open_, inside = name.removesuffix(".MoveNext").rpartition("<")
    method = inside.partition(">")[0]
    return f"{owner}{method}" if open_ and method else name
