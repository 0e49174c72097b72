"""What reading a module's source gives: frozen facts, nothing interpreted in words.

Names of classes and functions are *qualified*: written out with the module they come from, as far as the module's own
imports and definitions tell (``rest_framework.exceptions.NotFound``); built-in names stay bare (``ValueError``).
*Source* texts are as Python's own unparser writes them: on one line, comments gone. Lines are 1-based and inclusive.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

__all__ = [
    "NO_GUARD",
    "ClassFacts",
    "FunctionFacts",
    "GuardFacts",
    "ModuleFacts",
    "Site",
    "SiteKind",
]

SiteKind = Literal["raise", "warning", "log", "check", "exit", "assert", "parser"]


class GuardFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Under which circumstances a statement is reached, as far as the nearest block around it says.

    ``condition`` is the source of the nearest condition that decides, and ``negated`` says that it must be false:
    the statement stands under ``else``, or follows an ``if`` that always leaves (``if ok: return``). ``others`` are the
    conditions of earlier branches of the same ``if``, all of them false here. ``outer`` is the next condition around,
    as a pair of its source and whether it must be false. ``caught`` are the qualified classes of the ``except`` clause
    around (``BaseException`` for a bare one), ``caught_as`` the name it gives the exception, ``tried`` the source of
    the first line that was tried there. ``place`` is where the statement stands when no condition decides alone:
    ``loop`` and ``loop_else`` (after a loop that found nothing), ``try_else``, ``finally``, ``case``, ``default``
    (the last resort of a ``match`` or of an ``if`` chain), ``only`` (all that the function does, as in an abstract
    method), ``end`` (the last statement of a function, after everything else left).
    ``subject`` is what a ``match`` looks at or a loop goes over.
    """

    condition: str = ""
    negated: bool = False
    others: tuple[str, ...] = ()
    outer: tuple[str, bool] | None = None
    caught: tuple[str, ...] = ()
    caught_as: str = ""
    tried: str = ""
    place: Literal["", "loop", "loop_else", "try_else", "finally", "case", "default", "only", "end"] = ""
    subject: str = ""


NO_GUARD: Final = GuardFacts()


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """One place that raises, warns, logs, exits or asserts.

    ``cls`` is the qualified class: of the exception, of a warning's category, ``SystemExit`` of an exit,
    ``AssertionError`` of an assert; empty for logs, checks and parser errors of unknown class. ``message`` is the
    template, its placeholders as the source has them (``%s``, ``%(name)s``, ``{}``, ``{value!r}``; ``{expression}``
    where a value is joined to text), or empty when the source does not show it.
    ``message_from`` tells where it stands: ``here``, ``constant`` (another module's or this one's), ``class``.
    ``level`` is a log's or check's level (``error``, ``critical``, ``exception``, ``warning``); ``hint`` a check's own
    advice. ``status`` is an HTTP status, ``exit_status`` that of a process. ``function`` is qualified within the module
    (``Class.method``, ``outer.inner``), empty at module level. ``raised_from`` is the source after ``from``.
    ``arguments`` are the sources of all arguments of the class's call, keyword ones as ``name=source``.
    ``wanted`` is for :mod:`kb.harvest.linking`: the qualified constant that would be the message. ``deferred`` means
    that the exception is only built here: returned, stored or given on, to be raised by another statement.
    The snippet holds whole lines as in the file, at most 40, ``snippet_start`` the line of its first.
    """

    kind: SiteKind
    cls: str = ""
    message: str = ""
    message_from: Literal["", "here", "constant", "class"] = ""
    status: int | None = None
    exit_status: int | None = None
    code: str | None = None
    level: str = ""
    hint: str = ""
    function: str = ""
    line: int
    end_line: int
    guard: GuardFacts = NO_GUARD
    snippet_start: int
    snippet: str
    raised_from: str | None = None
    arguments: tuple[str, ...] = ()
    wanted: str = ""
    deferred: bool = False

    @property
    def snippet_end(self) -> int:
        """The line of the snippet's last line."""
        return self.snippet_start + self.snippet.count("\n")


class ClassFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One class. ``name`` is qualified within the module, ``qualified`` with the module before it.

    ``bases`` are qualified. ``summary`` is the first paragraph of the docstring on one line. ``message`` is the fixed
    template of an exception class (``default_detail``, ``message``, ``__str__``, what ``__init__`` gives its base),
    with ``{parameter}`` placeholders when it takes values; ``parameters`` are those of ``__init__``, without ``self``.
    ``exception`` is whether it is certainly an exception class: by its own bases or, after linking, by theirs.
    """

    name: str
    qualified: str
    bases: tuple[str, ...] = ()
    summary: str = ""
    message: str = ""
    parameters: tuple[str, ...] = ()
    status: int | None = None
    code: str | None = None
    exception: bool = False
    line: int
    end_line: int


class FunctionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One function or method. ``calls`` are the qualified functions and classes that it calls, each once.

    A method of the same class called through ``self`` or ``cls`` is qualified (``package.module.Class.method``); what
    is called through any other value stands as ``.name``. ``public`` means that no part of its name, and of the
    module's, begins with an underscore (``__init__`` and ``__call__`` of a public class are public).
    """

    name: str
    qualified: str
    parameters: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    public: bool = False
    line: int
    end_line: int


class ModuleFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything read from one file; with a ``problem`` all else but the names, and perhaps the digest, is empty.

    ``relative`` is the path in the distribution with forward slashes, ``module`` the dotted name it is imported by.
    ``imports`` are pairs of the local and the qualified name; ``constants`` pairs of a module-level name and its text;
    ``exports`` what ``__all__`` names. ``digest`` is the SHA-256 of the file's bytes in hexadecimal digits.
    """

    package: str
    relative: str
    module: str
    digest: str = ""
    problem: str = ""
    lines: int = 0
    sites: tuple[Site, ...] = ()
    classes: tuple[ClassFacts, ...] = ()
    functions: tuple[FunctionFacts, ...] = ()
    imports: tuple[tuple[str, str], ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    exports: tuple[str, ...] = ()
