"""The lines of a stack trace of the JVM: frames (``at a.b.C.m(C.java:1)``) and the heads that name an exception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kb.matching.shapes import Frame, Relation
from kb.matching.traces.drafts import MAX_FRAME_LINE, indent_of, name_end, number

__all__ = ["Head", "frame_in", "head_in", "head_inside", "is_elision", "is_error_name"]

_ENDINGS: Final = ("Exception", "Error", "Throwable", "Failure", "Fault", "Violation", "Abort", "Signal")
_NO_FILE: Final = ("Native Method", "Unknown Source", "<generated>", "<Unknown>", "Redefined", "Hidden", "<eval>")
_EXTENSIONS: Final = (
    ".java",
    ".kt",
    ".kts",
    ".scala",
    ".groovy",
    ".clj",
    ".cljc",
    ".jsp",
    ".gradle",
    ".sc",
    ".rb",
    ".ftl",
    ".xtend",
)
_MARKERS: Final[tuple[tuple[str, Relation], ...]] = (
    ("Caused by: ", "cause"),
    ("Suppressed: ", "suppressed"),
    ("Wrapped by: ", "previous"),
    ("nested exception is: ", "cause"),
)
_THREAD: Final = "Exception in thread "
_PACKAGES: Final = (
    "java.",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "clojure.",
    "android.",
    "androidx.",
    "org.",
    "com.",
)
_MAX_THREAD: Final = 200
_MAX_LABEL_LINE: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where an exception begins. ``relation`` is that of its marker ("previous": the exception before it is its cause);
    ``sure`` says that no stack is needed to tell that it is the JVM's, ``strong`` that the class looks like an error's.
    """

    cls: str
    column: int
    indent: int
    relation: Relation = ""
    strong: bool = False
    sure: bool = False


def frame_in(text: str, at: int) -> Frame | None:
    """The frame that line ``at`` with ``text`` is; None when it is none."""
    if len(text) > MAX_FRAME_LINE or "at " not in text:
        return None
    bare = text.strip()
    if not bare.startswith("at "):
        return None
    name, paren, rest = bare[3:].partition("(")
    place, close, tail = rest.partition(")")
    if not paren or not close or not name or name[-1].isspace() or "." not in name:
        return None
    if tail and not tail.lstrip().startswith(("~[", "[", "{", "@")):
        return None
    file, _, line = place.partition(":")
    if not file.endswith(_EXTENSIONS) and file not in _NO_FILE and file != "SourceFile":
        return None
    name = _without_module(name)
    return Frame(path=_path(name, file), line=number(line) if file not in _NO_FILE else None, function=name, at=at)


def is_elision(text: str) -> bool:
    """Whether a line stands for frames left out: ``... 23 more``, ``... 5 common frames omitted``."""
    bare = text.strip()
    return bare.startswith("... ") and bare.endswith(("more", "omitted", "excluded", "truncated", "]", "lines"))


def is_error_name(name: str) -> bool:
    """Whether a class of this name is an error's by its looks."""
    return name.endswith(_ENDINGS)


def head_in(text: str) -> Head | None:
    """The head that ``text`` is; None when it is none."""
    indent = start = indent_of(text)
    relation: Relation = ""
    marked = False
    if text.startswith(_THREAD, start):
        start, marked = _after_thread(text, start + len(_THREAD)), True
    for marker, meant in _MARKERS:
        if text.startswith(marker, start):
            start, relation, marked = start + len(marker), meant, True
    end = name_end(text, start)
    name = text[start:end]
    if end == start or not _ends(text, end):
        return None
    strong = is_error_name(name)
    if not strong and not (marked and "." in name) and not _is_qualified(name):
        return None
    sure = (marked and (strong or _is_qualified(name))) or (strong and "." in name and name.startswith(_PACKAGES))
    column = end + 1 if text.startswith(":", end) else end
    return Head(cls=name, column=column, indent=indent, relation=relation, strong=strong or marked, sure=sure)


def head_inside(text: str, start: int = 0) -> Head | None:
    """The first exception with a package that ``text`` names from ``start`` on, with a message behind it."""
    place = text.find(": ", start, _MAX_LABEL_LINE)
    while place >= 0:
        begin = place
        while begin > start and (text[begin - 1].isalnum() or text[begin - 1] in "._$"):
            begin -= 1
        name = text[begin:place]
        if "." in name and is_error_name(name) and name_end(text, begin) == place:
            return Head(cls=name, column=place + 2, indent=begin, strong=True)
        place = text.find(": ", place + 2, _MAX_LABEL_LINE)
    return None


def _ends(text: str, end: int) -> bool:
    """Whether a class may end here: at the line's end, or at a colon before a blank."""
    rest = text[end : end + 2]
    return not rest.strip() or rest == ":" or (rest[0] == ":" and rest[1].isspace())


def _is_qualified(name: str) -> bool:
    """``org.example.Tool``: packages in lower case, then a class."""
    package, dot, last = name.rpartition(".")
    return bool(dot) and name[:1].islower() and last[:1].isupper() and package.replace(".", "").isidentifier()


def _after_thread(text: str, start: int) -> int:
    """Behind the name of a thread, quoted or not."""
    if text.startswith('"', start):
        close = text.find('" ', start + 1, start + _MAX_THREAD)
        return close + 2 if close >= 0 else start
    close = text.find(" ", start, start + _MAX_THREAD)
    return close + 1 if close >= 0 else start


def _without_module(name: str) -> str:
    """A name without its class loader and module (``app//``, ``java.base@17/``); a lambda's class keeps its slash."""
    end = name.find("$$Lambda")
    slash = name.rfind("/", 0, end if end >= 0 else len(name))
    return name[slash + 1 :]


def _path(name: str, file: str) -> str:
    """``org/example/Tool.java`` from ``org.example.Tool.run`` and ``Tool.java``."""
    if not file.endswith(_EXTENSIONS):
        return ""
    owner = name.rpartition(".")[0]
    package = owner.partition("$$")[0].rpartition(".")[0]
    return f"{package.replace('.', '/')}/{file}" if package else file
