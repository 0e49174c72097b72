"""Imports one release after another for tests: ``python -m tests.imports.import_program``.

Reads one JSON object a line and answers with one: ``{"import": PATH, "limit": BYTES}`` imports and answers with the
report; no file may grow beyond ``limit`` meanwhile, where one is given. ``{"check": NUMBER, "records": COUNT}`` says
what is wrong with the catalog of a marked release. The disk always claims to have room, as thin and shared ones do.
"""

from __future__ import annotations

import json
import resource
import sys
import traceback
from typing import Any

import django

django.setup()

from django.db import connections  # noqa: E402

from kb.imports import disk  # noqa: E402
from kb.imports.options import ImportOptions  # noqa: E402
from kb.imports.pipeline import run_import  # noqa: E402
from tests.imports.marked import check_sound  # noqa: E402


def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    if "check" in asked:
        try:
            check_sound(asked["check"], records=asked["records"], settled=asked["settled"])
        except AssertionError as error:
            line = next(iter(reversed(traceback.extract_tb(error.__traceback__))))
            return {"wrong": f"{line.line}: {error}"}
        finally:
            connections.close_all()
        return {"wrong": None}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (asked.get("limit") or soft, hard))
    try:
        return run_import([asked["import"]], ImportOptions()).as_json()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        connections.close_all()


def main() -> None:
    """Answer until standard input ends."""
    disk._free = lambda _directory: 1 << 60
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
