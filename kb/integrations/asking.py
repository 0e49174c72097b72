"""Texts in, finds out, by a process of its own: nothing of Faultbook is loaded into the program that asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Answered", "ask", "told"]

_MOST_CHARACTERS = 240 * 1024  # of a text; its end says what happened
_MOST_BYTES = 256 * 1024  # what a server takes
_FIELDS = ("url", "message", "repo", "confidence", "fix")


@dataclass(frozen=True)
class Answered:
    """For each text the fields of its record by name, or ``None``; or one line on why there is no answer."""

    finds: tuple[dict[str, str] | None, ...] = ()
    problem: str = ""


def ask(texts: Sequence[str], *, server: str = "", timeout: float = 30.0) -> Answered:
    """What the texts are: asked of ``server``, else of the one in ``KB_SERVER``, else of the catalog here.

    Raises nothing; after ``timeout`` seconds there is no answer.
    """
    address = server or os.environ.get("KB_SERVER", "")
    command = [sys.executable, "-P", "-m", "kb.integrations.answering", *([address] if address else [])]
    question = json.dumps({"texts": [_bounded(text) for text in texts], "languages": ["Python"]})
    try:
        ended = subprocess.run(  # noqa: S603 - our own program
            command, input=question.encode(), capture_output=True, timeout=timeout, env=_environment(), check=False
        )
    except subprocess.TimeoutExpired:
        return Answered(problem=f"no answer in {timeout:g} seconds")
    except (OSError, ValueError) as error:
        return Answered(problem=f"cannot be started: {error}")
    return _read(ended.stdout, len(texts))


def told(find: dict[str, str]) -> str:
    """The lines that a person reads."""
    lines = [f"{find['message']} ({find['repo']}, {find['confidence']})"]
    if find["fix"]:
        lines.append(f"Fix: {find['fix']}")
    return "\n".join([*lines, find["url"]])


def _bounded(text: str) -> str:
    """The end of a text, as text that can be sent."""
    encoded = text[-_MOST_CHARACTERS:].encode("utf-8", "replace")
    return encoded[-_MOST_BYTES:].decode("utf-8", "ignore")


def _environment() -> dict[str, str]:
    """This process's, less what is meant for its own Django and its own warnings."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "kb.settings", "KB_LOG_LEVEL": "ERROR"}
    environment.pop("PYTHONWARNINGS", None)
    return environment


def _read(output: bytes, count: int) -> Answered:
    try:
        answer: Any = json.loads(output)
        finds = tuple(find and {name: str(find[name]) for name in _FIELDS} for find in answer["finds"])
        problem = str(answer["problem"])
    except (ValueError, KeyError, TypeError):
        return Answered(problem="Faultbook ended without an answer")
    if problem or len(finds) != count:
        return Answered(problem=problem or "Faultbook ended without an answer")
    return Answered(finds=finds)
