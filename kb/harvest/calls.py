"""Sites of calls that report an error without ``raise``: warnings, logs, system checks, exits, parsers, failures."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final

from kb.harvest.blocks import last_name
from kb.harvest.exceptions import built_by, class_of, distinctive_code, is_exception_class, looks_like_class
from kb.harvest.facts import Site
from kb.harvest.names import dotted
from kb.harvest.placeholders import from_percent
from kb.harvest.places import Here, is_readable, make_site
from kb.harvest.statuses import status_of
from kb.harvest.texts import source_of, texts_of

__all__ = ["REPORTING", "call_sites"]

_LOGGER: Final = re.compile(r"(?i)_*(?:\w*_)?(?:log|logs|logger|logging|\w+logger)")
_LEVELS: Final = {"error": "error", "critical": "critical", "fatal": "critical", "exception": "exception"}
_LOG_LEVELS: Final = {"ERROR": "error", "CRITICAL": "critical", "FATAL": "critical"}
_CHECKS: Final = {"Error": "error", "Warning": "warning", "Critical": "critical", "Info": "info"}
_CHECK_MODULE: Final = "django.core.checks"
_WARN: Final = frozenset({"warnings.warn", "warnings.warn_explicit"})
_EXITS: Final = frozenset({"sys.exit", "exit", "quit"})
_PARSER: Final = re.compile(r"(?i)\w*parser|ap|subparsers?")
_USAGE: Final = 2  # the status with which argparse and click leave


def call_sites(call: ast.Call, here: Here) -> Iterator[Site]:
    """The sites of one call, none for nearly all calls."""
    reader = _READERS.get(last_name(call.func))
    if reader is not None:
        yield from reader(call, here)


def _argument(call: ast.Call, position: int, *names: str) -> ast.expr | None:
    for word in call.keywords:
        if word.arg in names:
            return word.value
    if position < len(call.args) and not any(isinstance(node, ast.Starred) for node in call.args[: position + 1]):
        return call.args[position]
    return None


def _texts(node: ast.expr | None, here: Here) -> list[str]:
    return [text for text in texts_of(node, here.scope) if is_readable(text)] if node is not None else []


def _warning(call: ast.Call, here: Here) -> Iterator[Site]:
    if here.scope.module.names.resolve(call.func, here.scope.function) not in _WARN:
        return
    first, category = _argument(call, 0, "message"), _argument(call, 1, "category")
    if isinstance(first, ast.Call) and is_exception_class(cls := class_of(first.func, here.scope), here.scope):
        built = built_by(first, here.scope)
        for message in built.messages:
            yield make_site(here, "warning", cls=cls, message=message, message_from="here", arguments=built.arguments)
        return
    cls = class_of(category, here.scope) if category is not None else "UserWarning"
    for message in _texts(first, here):
        yield make_site(here, "warning", cls=cls, message=message, message_from="here")


def _log(call: ast.Call, here: Here) -> Iterator[Site]:
    name = last_name(call.func)
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    if receiver is None:
        if not here.scope.module.names.resolve(call.func, here.scope.function).startswith("logging."):
            return
    elif name == "error" and _PARSER.fullmatch(last_name(receiver)):
        yield from _parser(call, here)
        return
    elif not _LOGGER.fullmatch(_receiver_name(receiver)):
        return
    yield from _logged(call.args, _LEVELS[name], here)


def _receiver_name(node: ast.expr) -> str:
    """``logger`` of ``logger``, ``self.logger``, ``get_logger(…)`` and ``logging.getLogger(…)``."""
    name = last_name(node.func) if isinstance(node, ast.Call) else last_name(node)
    return name.removeprefix("get").removeprefix("_")


def _logged(arguments: list[ast.expr], level: str, here: Here) -> Iterator[Site]:
    if not arguments:
        return
    for template in _texts(arguments[0], here):
        message = from_percent(template) if len(arguments) > 1 else template
        yield make_site(here, "log", level=level, message=message, message_from="here")


def _log_at(call: ast.Call, here: Here) -> Iterator[Site]:
    """``logger.log(logging.ERROR, …)``."""
    if not isinstance(call.func, ast.Attribute) or not call.args:
        return
    level = _LOG_LEVELS.get(last_name(call.args[0]))
    if level and _LOGGER.fullmatch(_receiver_name(call.func.value)):
        yield from _logged(call.args[1:], level, here)


def _check(call: ast.Call, here: Here) -> Iterator[Site]:
    qualified = here.scope.module.names.resolve(call.func, here.scope.function)
    marked = any(word.arg == "id" for word in call.keywords)
    if not marked or not (qualified.startswith(_CHECK_MODULE) or dotted(call.func).startswith("checks.")):
        return
    level = _CHECKS[last_name(call.func)]
    codes = _texts_of_word(call, "id", here)
    code = distinctive_code(codes[0]) if len(codes) == 1 else None
    hints = _texts_of_word(call, "hint", here)
    for message in _texts(_argument(call, 0, "msg"), here):
        hint = hints[0] if len(hints) == 1 else ""
        yield make_site(here, "check", level=level, message=message, message_from="here", code=code, hint=hint)


def _texts_of_word(call: ast.Call, name: str, here: Here) -> tuple[str, ...]:
    return next((texts_of(word.value, here.scope) for word in call.keywords if word.arg == name), ())


def _exit(call: ast.Call, here: Here) -> Iterator[Site]:
    qualified = here.scope.module.names.resolve(call.func, here.scope.function)
    if qualified in _EXITS:
        for message in _texts(_argument(call, 0), here):
            yield make_site(here, "exit", cls="SystemExit", message=message, message_from="here", exit_status=1)
    elif isinstance(call.func, ast.Attribute) and _PARSER.fullmatch(last_name(call.func.value)):
        status = _argument(call, 0, "status")
        number = status.value if isinstance(status, ast.Constant) and isinstance(status.value, int) else None
        for message in _texts(_argument(call, 1, "message"), here):
            yield make_site(here, "parser", cls="SystemExit", message=message, message_from="here", exit_status=number)


def _parser(call: ast.Call, here: Here) -> Iterator[Site]:
    for message in _texts(_argument(call, 0, "message"), here):
        yield make_site(here, "parser", cls="SystemExit", message=message, message_from="here", exit_status=_USAGE)


def _fail(call: ast.Call, here: Here) -> Iterator[Site]:
    """``ctx.fail(…)`` of click, and ``self.fail("key")`` of a class with a table of messages."""
    if not isinstance(call.func, ast.Attribute):
        return
    receiver = last_name(call.func.value)
    if receiver in {"ctx", "context"}:
        for message in _texts(_argument(call, 0, "message"), here):
            yield make_site(
                here, "parser", cls="click.UsageError", message=message, message_from="here", exit_status=_USAGE
            )
    elif receiver == "self":
        yield from _failed_by_key(call, here)


def _failed_by_key(call: ast.Call, here: Here) -> Iterator[Site]:
    key = _argument(call, 0, "key")
    if not isinstance(key, ast.Constant):
        return
    for cls in here.scope.module.lineage(here.scope.cls):
        texts = cls.tables.get("default_error_messages", {}).get(source_of(key), ())
        for message in filter(is_readable, texts):
            yield make_site(
                here,
                "raise",
                cls="rest_framework.exceptions.ValidationError",
                message=message,
                message_from="class",
                status=400,
            )
        if texts:
            return


def _abort(call: ast.Call, here: Here) -> Iterator[Site]:
    """``abort(404, "…")`` of Flask and its like."""
    status = status_of(_argument(call, 0, "code", "status"))
    if status is None:
        return
    cls = here.scope.module.names.resolve(call.func, here.scope.function)
    for message in _texts(_argument(call, 1, "description", "message", "text"), here):
        yield make_site(
            here,
            "raise",
            cls=cls if looks_like_class(cls) else "",
            message=message,
            message_from="here",
            status=status,
        )


_READERS: Final[dict[str, Callable[[ast.Call, Here], Iterator[Site]]]] = {
    **dict.fromkeys(("warn", "warn_explicit"), _warning),
    **dict.fromkeys(_LEVELS, _log),
    **dict.fromkeys(_CHECKS, _check),
    "log": _log_at,
    "exit": _exit,
    "quit": _exit,
    "fail": _fail,
    "abort": _abort,
}

REPORTING: Final = frozenset(_READERS)
"""The last names of all calls that can be sites."""
