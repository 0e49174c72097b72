"""Names that look like the class of an error, wherever they stand; pure."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["class_end", "is_class_name", "is_dotted_name", "is_error_name", "is_prose", "language_of", "last_part"]

_NAME: Final = re.compile(r"[^\W\d](?:\w|[.$](?=[\w<])|<locals>|::(?=\w)|\\(?=[A-Z])){0,250}")
_SUFFIXES: Final = (
    "Error",
    "Exception",
    "Warning",
    "Interrupt",
    "Iteration",
    "Failure",
    "Fault",
    "Timeout",
    "TimedOut",
    "Exit",
    "ExceptionGroup",
    "NotFound",
    "DoesNotExist",
    "Denied",
    "Refused",
)
"""Ends of a class name that say that it is an error, in any language."""

_BARE: Final = frozenset(("Error", "Exception", "Warning", "Failure", "Fault", "Timeout", "Exit", "Interrupt"))
"""Names that are words of prose as well; a class only before a colon."""

_LOWER: Final = frozenset(("error", "timeout", "gaierror", "herror", "fault"))
"""Classes of lower case, which are told by their module alone: ``zlib.error``, ``socket.timeout``."""

_STANDARD: Final = frozenset(
    """std::bad_alloc std::bad_array_new_length std::bad_cast std::bad_function_call std::bad_optional_access
    std::bad_typeid std::bad_variant_access std::bad_weak_ptr std::invalid_argument std::out_of_range
    std::ios_base::failure std::nested_exception""".split()  # noqa: SIM905  a list to read
)
"""Classes of C++ whose names do not end as others do."""

_SHORTEST: Final = 4
_OTHER: Final = frozenset(("Http404", "Retry", "Abort", "Panic"))

_LANGUAGES: Final = (
    (("java.", "javax.", "jakarta."), "Java"),
    (("kotlin.", "kotlinx."), "Kotlin"),
    (("scala.",), "Scala"),
    (("System.", "Microsoft."), "C#"),
    (("builtins.", "django.", "asyncio."), "Python"),
)
_ONLY_PYTHON: Final = frozenset(
    """AttributeError ImportError ModuleNotFoundError UnboundLocalError UnicodeDecodeError UnicodeEncodeError
    IndentationError TabError RecursionError FileNotFoundError IsADirectoryError NotADirectoryError
    StopAsyncIteration DeprecationWarning PendingDeprecationWarning FutureWarning ResourceWarning""".split()  # noqa: SIM905
)


def class_end(text: str, start: int = 0) -> int:
    r"""Where the name (dotted, ``A::B`` or ``A\B``) at ``start`` ends; ``start`` itself when none begins there."""
    found = _NAME.match(text, start)
    return found.end() if found else start


def last_part(name: str) -> str:
    """The class without its module: what stands after the last separator."""
    return name.replace("::", ".").replace("\\", ".").replace("$", ".").rpartition(".")[2]


def is_class_name(name: str) -> bool:
    """Whether a whole name is surely that of an error class, by its ending or its module."""
    if len(name) < _SHORTEST:
        return False
    last = last_part(name)
    if not last or len(name) > 250:  # noqa: PLR2004  the longest name that is read
        return False
    dotted = len(last) < len(name)
    bare = last if name.endswith(f"::{last}") else last.lstrip("_")  # C++: a function of the library's own
    if bare[:1].isupper():
        return last in _OTHER or last.endswith(_SUFFIXES) or (dotted and _is_module(name, last))
    if name in _STANDARD:
        return True
    return dotted and (last in _LOWER or last.endswith(("_error", "exception")))


def is_error_name(name: str) -> bool:
    """Whether the name ends as those of errors do, and is no everyday word."""
    return name not in _BARE and last_part(name).endswith(_SUFFIXES)


def is_dotted_name(name: str) -> bool:
    """Whether the class is printed with a module or package."""
    return len(last_part(name)) < len(name)


def is_prose(name: str) -> bool:
    """Whether the class is an everyday word, too: ``Error``, ``Warning``."""
    return name in _BARE


def _is_module(name: str, last: str) -> bool:
    """Whether what stands before ``last`` is a module path: ``queue`` in ``queue.Empty``."""
    head = name[: len(name) - len(last)].rstrip(".:\\$")
    parts = head.split(".")
    return (
        head.isascii()
        and all(part and (part[0].islower() or part[0] == "_" or part == "<locals>") for part in parts)
        and len(last) > 2  # noqa: PLR2004  "e.g.A" is no class
        and not last.isupper()
    )


def language_of(cls: str) -> str:
    """The language that a class tells by itself; empty when several have it."""
    for starts, language in _LANGUAGES:
        if cls.startswith(starts):
            return language
    return "Python" if last_part(cls) in _ONLY_PYTHON else ""
