"""What the call that builds an exception tells: its class, its messages, HTTP status, code and arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from kb.harvest.blocks import FunctionNode, calls_within, last_name
from kb.harvest.names import BUILTIN_EXCEPTIONS, dotted
from kb.harvest.places import is_readable
from kb.harvest.scopes import Scope
from kb.harvest.statuses import status_of, status_of_class
from kb.harvest.texts import source_of, texts_of

__all__ = ["Built", "built_by", "class_of", "distinctive_code", "is_exception_class", "readable_texts", "wanted_of"]

_EXCEPTION: Final = re.compile(r"[A-Z]\w*(?:Error|Exception|Warning|Exit|Fault|Failure)|_?[A-Z]\w*Error")
_CLASS: Final = re.compile(r"_*[A-Z]\w*")
_CODE: Final = re.compile(r"[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+|[A-Z]{1,8}-?[0-9]{2,6}|[a-z_]+\.[A-Z][0-9]{3}")
_MESSAGE_WORDS: Final = ("message", "msg", "detail", "reason", "description", "error", "text", "errmsg", "hint")
_STATUS_WORDS: Final = frozenset({"status_code", "status", "http_status", "code"})
_CODE_WORDS: Final = frozenset({"code", "error_code", "errcode", "id"})
_TAKES_STATUS: Final = re.compile(r"(?:.*\.)?(?:HTTPException|HTTPError|HttpError|abort)")
_MOST_ARGUMENTS: Final = 12
_LONGEST_ARGUMENT: Final = 200
_MOST_ITEMS: Final = 20


class Built(NamedTuple):
    """An exception as the source builds it. ``messages`` are alternatives; ``wanted`` as in a site."""

    cls: str
    messages: tuple[str, ...] = ()
    status: int | None = None
    code: str | None = None
    arguments: tuple[str, ...] = ()
    wanted: str = ""


def built_by(call: ast.Call, scope: Scope, caught: str = "") -> Built:
    """What a call in a ``raise`` builds; ``caught`` is the class that ``type(error)`` means here."""
    cls = class_of(call.func, scope, caught)
    arguments = tuple(_arguments(call))
    messages = readable_texts(call, scope)
    wanted = ""
    if not messages:
        factory = scope.called(call.func)
        if factory is not None:
            cls, messages = _made_by(factory, scope, cls)
        wanted = "" if messages else wanted_of(call, scope)
    elif (factory := scope.called(call.func)) is not None:
        cls = _made_by(factory, scope, cls)[0]
    return Built(cls, messages, _status(call, cls), _code(call), arguments, wanted)


def class_of(node: ast.expr, scope: Scope, caught: str = "") -> str:
    """The qualified class that an expression names; as written if it is ``self.something``; empty for other calls."""
    if isinstance(node, ast.Call):
        return caught if last_name(node.func) == "type" else ""
    if isinstance(node, ast.Attribute):
        if node.attr == "__class__":
            return caught
        for cls in scope.module.lineage(scope.owner(node.value)):
            if node.attr in cls.others:
                return scope.module.names.resolve(cls.others[node.attr])
    if isinstance(node, ast.Name) and (value := scope.values.get(node.id)) is not None:
        return next((scope.module.names.resolve(other, scope.function) for other in value.others), "")
    return scope.module.names.resolve(node, scope.function)


def is_exception_class(qualified: str, scope: Scope) -> bool:
    """Whether a name is surely that of an exception: built in, derived from one here, or named like one."""
    if qualified in BUILTIN_EXCEPTIONS:
        return True
    names = scope.module.names
    own = qualified.removeprefix(f"{names.module}.")
    if own in scope.module.classes:
        bases = (base for cls in scope.module.lineage(own) for base in cls.bases)
        return any(base in BUILTIN_EXCEPTIONS or _EXCEPTION.fullmatch(base.rpartition(".")[2]) for base in bases)
    return _EXCEPTION.fullmatch(qualified.rpartition(".")[2]) is not None


def looks_like_class(qualified: str) -> bool:
    """Whether the last part of a name is written as classes are."""
    return _CLASS.fullmatch(qualified.rpartition(".")[2]) is not None


def distinctive_code(text: str) -> str | None:
    """The text if it reads as a code of its own (``E0308``, ``ERR_BAD``, ``models.E001``), not as a word."""
    return text if _CODE.fullmatch(text) else None


def readable_texts(call: ast.Call, scope: Scope) -> tuple[str, ...]:
    """The messages among the arguments of a call: of the first text in words, else of the first text."""
    positional = []
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            break
        positional.append(argument)
    words = {word.arg: word.value for word in call.keywords if word.arg}
    ordered = [*positional, *(words.pop(name) for name in _MESSAGE_WORDS if name in words)]
    single: tuple[str, ...] = ()
    for node in ordered:
        texts = tuple(text for text in _argument_texts(node, scope) if is_readable(text))
        if any(" " in text.strip() for text in texts):
            return texts
        single = single or texts
    if single:
        return single
    for node in words.values():
        texts = tuple(text for text in texts_of(node, scope) if " " in text and is_readable(text))
        if texts:
            return texts
    return ()


def _argument_texts(node: ast.expr, scope: Scope) -> tuple[str, ...]:
    """The texts of an argument, also of the items of a list or of the values of a dictionary."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        items = node.elts
    elif isinstance(node, ast.Dict):
        items = node.values
    else:
        return texts_of(node, scope)
    return tuple(text for item in items[:_MOST_ITEMS] for text in _argument_texts(item, scope))


def wanted_of(call: ast.Call, scope: Scope) -> str:
    """The constant of another module that the first argument takes its text from; empty if it does not."""
    for argument in call.args[:3]:
        node: ast.expr = argument
        while True:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
                node = node.left
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
                node = node.func.value
            elif isinstance(node, ast.Attribute) and node.attr in {"value", "message"}:
                node = node.value
            else:
                break
        first = dotted(node).partition(".")[0]
        if first and first not in scope.values and first in scope.module.names.imports:
            return scope.module.names.resolve(node, scope.function)
    return ""


def _arguments(call: ast.Call) -> Iterator[str]:
    for argument in call.args[:_MOST_ARGUMENTS]:
        yield source_of(argument)[:_LONGEST_ARGUMENT]
    for word in call.keywords[:_MOST_ARGUMENTS]:
        source = source_of(word.value)[:_LONGEST_ARGUMENT]
        yield f"{word.arg}={source}" if word.arg else f"**{source}"


def _status(call: ast.Call, cls: str) -> int | None:
    for word in call.keywords:
        if word.arg in _STATUS_WORDS and (status := status_of(word.value)) is not None:
            return status
    if _TAKES_STATUS.fullmatch(cls) and not cls.startswith("urllib."):
        for argument in call.args[:2]:
            if (status := status_of(argument)) is not None:
                return status
    return status_of_class(cls)


def _code(call: ast.Call) -> str | None:
    values: Iterable[ast.expr] = [word.value for word in call.keywords if word.arg in _CODE_WORDS]
    for value in (*values, *call.args[:2]):
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and (code := distinctive_code(value.value)):
            return code
    return None


def _made_by(function: FunctionNode, scope: Scope, written: str) -> tuple[str, tuple[str, ...]]:
    """The class and messages of the first exception that a function returns."""
    for statement in scope.module.returns(function):
        for node in reversed(calls_within(statement)):
            if isinstance(node, ast.Call):
                cls = class_of(node.func, Scope(scope.module, scope.cls, scope.function))
                if looks_like_class(cls):
                    return cls, readable_texts(node, Scope(scope.module, scope.cls, scope.function))
    return written if looks_like_class(written) else "", ()
