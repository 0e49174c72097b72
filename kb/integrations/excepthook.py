"""The find under an uncaught exception of a script or a notebook. Off until it is installed.

    from kb.integrations import excepthook

    excepthook.install()

In IPython and Jupyter the same is ``%load_ext kb.integrations.excepthook``. The usual report comes first and is never
changed; below it stand the record's message, its first fix and its link, or nothing.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from kb.integrations.asking import ask, told

__all__ = ["install", "load_ipython_extension", "uninstall", "unload_ipython_extension"]

_Hook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


@dataclass
class _Installed:
    """What was there before, and how to ask; nothing while the hook is off."""

    before: _Hook
    server: str
    timeout: float
    shell: Any = None


_installed: list[_Installed] = []


def install(*, server: str = "", timeout: float = 15.0) -> None:
    """Turn the hook on, also in the IPython shell that this runs in.

    ``server`` is the address of a Faultbook; without it ``KB_SERVER`` is asked, else the catalog that the settings
    name. An answer is waited for ``timeout`` seconds. Installed again, it takes the new options.
    """
    uninstall()
    asking = _Installed(before=sys.excepthook, server=server, timeout=timeout, shell=_shell())
    _installed.append(asking)
    sys.excepthook = _hook
    if asking.shell is not None:
        asking.shell.set_custom_exc((Exception,), _in_shell)


def uninstall() -> None:
    """Turn the hook off, and put back what was there before, unless somebody else has put something in its place."""
    while _installed:
        asking = _installed.pop()
        if sys.excepthook is _hook:
            sys.excepthook = asking.before
        if asking.shell is not None:
            asking.shell.set_custom_exc((), None)


def load_ipython_extension(_shell: Any) -> None:
    """What ``%load_ext`` calls."""
    install()


def unload_ipython_extension(_shell: Any) -> None:
    """What ``%unload_ext`` calls."""
    uninstall()


def _shell() -> Any:
    """The IPython shell of this process; IPython is not loaded for it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def _hook(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
    asking = _installed[-1] if _installed else None
    (asking.before if asking else sys.__excepthook__)(kind, value, trace)
    if asking and issubclass(kind, Exception):
        _tell(asking, value)


def _in_shell(shell: Any, kind: type[BaseException], value: BaseException, trace: Any, tb_offset: Any = None) -> None:
    shell.showtraceback((kind, value, trace), tb_offset=tb_offset)
    if _installed:
        _tell(_installed[-1], value)


def _tell(asking: _Installed, value: BaseException) -> None:
    """Print what the exception is found to be to standard error."""
    try:
        text = "".join(traceback.format_exception(value))
        answer = ask([text], server=asking.server, timeout=asking.timeout)
        find = answer.finds[0] if answer.finds else None
        if find:
            print(f"\nFaultbook: {told(find)}", file=sys.stderr)  # noqa: T201 - a hook prints
        elif answer.problem:
            print(f"\nFaultbook: {answer.problem}", file=sys.stderr)  # noqa: T201
    except Exception:  # noqa: BLE001, S110 - nothing here may hide the exception that is being reported
        pass
