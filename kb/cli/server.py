"""The production server: gunicorn with threads.

``faultbook serve`` checks the installation and then becomes this program. The master process imports neither Django nor
the settings: each worker does, so that a worker inherits no connection, and a reload (``HUP``) loads new code.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import logging
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

__all__ = ["GRACEFUL_SECONDS", "Server", "main"]

# Below the 30 seconds after which container platforms kill.
GRACEFUL_SECONDS = 25


# How gunicorn tells of a request that it cannot read: it quotes what is wrong, which may be a pasted text.
_QUOTING = re.compile(r"(Invalid request from ip=[^ ]*: [^:'\"]*).*", re.DOTALL)


def _without_texts(record: logging.LogRecord) -> bool:
    """Leave the quoted part of a request and the query of its address out: both may be what somebody pasted."""
    record.msg = _QUOTING.sub(r"\1", str(record.msg))
    if isinstance(record.args, tuple):
        record.args = tuple(entry.partition("?")[0] if isinstance(entry, str) else entry for entry in record.args)
    return True


class ServerLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn's own log, in which no request is quoted."""

    def setup(self, cfg: Any) -> None:
        """Set the loggers up; called again after a reload."""
        super().setup(cfg)
        self.error_log.addFilter(_without_texts)


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn with exactly the given settings: no configuration file, no ``GUNICORN_CMD_ARGS``."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        """Take the settings over."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Import the application; called in each worker. What it loads stays, and is never looked at for garbage."""
        gc.disable()
        application = importlib.import_module("kb.wsgi").application
        gc.freeze()
        gc.enable()
        return application


def _announce(arbiter: Any) -> None:
    """Print where the site is, once it listens; the port may have been chosen by the system."""
    addresses = " and ".join(f"{listener}/" for listener in arbiter.LISTENERS)
    print(f"Faultbook serves {addresses} (stop with Ctrl+C)", flush=True)


def options(*, bind: str, workers: int, threads: int) -> dict[str, Any]:
    """Gunicorn's settings, by their names in its documentation."""
    return {
        "bind": bind,
        "workers": workers,
        "threads": threads,
        "worker_class": "gthread",
        "graceful_timeout": GRACEFUL_SECONDS,
        "limit_request_line": 8190,  # longer queries than we take must reach the view that says so
        "control_socket_disable": True,  # it would be shared by all instances of a user
        "loglevel": "warning",
        "logger_class": ServerLog,
        "when_ready": _announce,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until a signal; leaves through ``SystemExit``, with 0 after ``TERM``, ``INT`` and ``QUIT``."""
    parser = argparse.ArgumentParser(prog="faultbook serve")
    parser.add_argument("--bind", required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    chosen = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    Server(options(bind=chosen.bind, workers=chosen.workers, threads=chosen.threads)).run()


if __name__ == "__main__":
    main()
