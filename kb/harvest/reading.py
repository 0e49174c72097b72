"""Read one module: bytes → facts. Never raises, never imports or runs what it reads."""

from __future__ import annotations

import ast
import gc
import hashlib
import io
import re
import stat
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from kb.harvest.classes import read_classes
from kb.harvest.constants import read_constants
from kb.harvest.facts import ModuleFacts
from kb.harvest.functions import read_functions
from kb.harvest.names import module_name, read_names
from kb.harvest.walking import Walk

__all__ = ["LARGEST", "read_module", "read_source"]

LARGEST: Final = 2 * 1024 * 1024
"""Bytes of a module that is read; larger ones are generated data."""

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_LONGEST_PROBLEM: Final = 200


def read_module(path: Path, *, package: str, relative: str) -> ModuleFacts:
    """The facts of the module in a file; with a ``problem`` in words when it cannot be read.

    ``package`` is the name that the facts carry, ``relative`` the path in the distribution with forward slashes, which
    also makes the module's dotted name.
    """
    empty = ModuleFacts(package=package, relative=relative, module=module_name(relative))
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return _problem(empty, "not a regular file")
        if status.st_size > LARGEST:
            return _problem(empty, f"larger than {LARGEST // 1024 // 1024} MiB")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError, RuntimeError) as error:
        return _problem(empty, f"cannot be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > LARGEST:
        return _problem(empty, f"larger than {LARGEST // 1024 // 1024} MiB")
    return read_source(data, package=package, relative=relative)


def read_source(data: bytes, *, package: str, relative: str) -> ModuleFacts:
    """The same of the bytes of a module."""
    empty = ModuleFacts(
        package=package, relative=relative, module=module_name(relative), digest=hashlib.sha256(data).hexdigest()
    )
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeError, LookupError):
        return _problem(empty, "its encoding is unknown or broken")
    try:
        with _uncollected():
            return _facts(empty, text)
    except SyntaxError as error:
        return _problem(empty, f"not valid Python: {error.msg}, line {error.lineno or 1}")
    except (RecursionError, MemoryError):
        return _problem(empty, "nested too deeply")
    except ValueError as error:
        return _problem(empty, f"not valid Python: {error}")


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector, which would go through a growing tree again and again, a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _problem(empty: ModuleFacts, problem: str) -> ModuleFacts:
    line = " ".join(problem.split())
    return msgspec.structs.replace(empty, problem=line[:_LONGEST_PROBLEM])


def _facts(empty: ModuleFacts, text: str) -> ModuleFacts:
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the compiler about the code that it reads
        tree = ast.parse("\n".join(lines))
    is_package = empty.relative.endswith("__init__.py")
    names = read_names(tree, empty.module, is_package=is_package)
    module = read_constants(tree, names, lines)
    walk = Walk(module)
    walk.run(tree)
    stars = [("*", base) for base in names.stars]
    return msgspec.structs.replace(
        empty,
        lines=len(lines),
        sites=walk.sites,
        classes=read_classes(module, walk.messages),
        functions=read_functions(names, walk.calls),
        imports=(*names.imports.items(), *stars),
        constants=tuple((name, texts[0]) for name, texts in module.texts.items() if len(texts) == 1),
        exports=tuple(names.exports),
    )
