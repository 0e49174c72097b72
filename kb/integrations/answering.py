"""The program that asks for others: ``python -m kb.integrations.answering [SERVER]``.

It reads ``{"texts": […], "languages": […]}`` from standard input and prints ``{"finds": […], "problem": ""}``: for each
text the record that it surely is, or null. Without ``SERVER`` the catalog of the settings is asked.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import django
import msgspec
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from msgspec import UNSET, Struct, UnsetType

from kb.env import ImproperEnvironment, read_only
from kb.integrations.finds import Find, Known
from kb.integrations.instance import CannotAsk, Instance

__all__ = ["main"]

_SURE: Final = frozenset({"exact", "strong"})
_MOST_BYTES: Final = 1024 * 1024  # of the texts of one request
_MOST_TEXTS: Final = 20
_SERVED_AT: Final = "http://127.0.0.1:8000"


class Asked(Struct, frozen=True):
    """The question."""

    texts: tuple[str, ...]
    languages: tuple[str, ...] = ()


class _Record(Struct, frozen=True):
    solutions: tuple[str, ...] = ()


class _Match(Known, frozen=True, rename="camel"):
    record: _Record | UnsetType = UNSET


class _Exception(Struct, frozen=True):
    matches: tuple[_Match, ...] = ()


class _Best(Struct, frozen=True):
    id: str


class _Result(Struct, frozen=True):
    best: _Best | None
    exceptions: tuple[_Exception, ...] = ()


class _Answer(Struct, frozen=True):
    results: tuple[_Result, ...]


def main() -> int:
    """Answer what stands on standard input; the exit code is 0 whatever comes of it."""
    server = sys.argv[1] if len(sys.argv) > 1 else ""
    finds: list[Find | None] = []
    problem = ""
    try:
        asked = msgspec.json.decode(sys.stdin.buffer.read(), type=Asked)
        finds = list(_of_server(server, asked) if server else _of_catalog(asked))
    except (CannotAsk, ImproperEnvironment, ImproperlyConfigured, ValueError) as error:
        problem = " ".join(str(error).split())
    except DatabaseError as error:
        problem = f"the catalog cannot be read: {' '.join(str(error).split())}"
    print(json.dumps({"finds": msgspec.to_builtins(finds), "problem": problem}))  # noqa: T201 - the answer
    return 0


# --- a server --------------------------------------------------------------------------------------------------------


def _of_server(server: str, asked: Asked) -> Iterator[Find | None]:
    """Raises :class:`CannotAsk`, and ``ValueError`` for an address that is none."""
    instance = Instance(server)
    for texts in _portions(asked.texts):
        body = {"texts": texts, "limit": 1, "detail": "full", "context": {"languages": asked.languages}}
        try:
            answer = msgspec.json.decode(instance.post("/api/v1/match/", body), type=_Answer)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            answer = _Answer(())
        if len(answer.results) != len(texts):
            raise CannotAsk(f"{instance.base_url} does not answer as a Faultbook server does")
        for result in answer.results:
            yield _find(result, instance.base_url)


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in portions that fit into a request each."""
    portion: list[str] = []
    size = 0
    for text in texts:
        length = len(json.dumps(text))
        if portion and (size + length > _MOST_BYTES or len(portion) == _MOST_TEXTS):
            yield portion
            portion, size = [], 0
        portion.append(text)
        size += length
    if portion:
        yield portion


def _find(result: _Result, base_url: str) -> Find | None:
    best = result.best.id if result.best else ""
    matches = (match for one in result.exceptions for match in one.matches[:1])
    match = next((match for match in matches if match.id == best and match.confidence in _SURE), None)
    if match is None:
        return None
    return Find.of(match, match.record.solutions if match.record is not UNSET else (), base_url=base_url)


# --- the catalog here ------------------------------------------------------------------------------------------------


def _of_catalog(asked: Asked) -> Iterator[Find | None]:
    """Raises :class:`CannotAsk` and ``DatabaseError``."""
    read_only()
    django.setup()
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3") and not Path(database["NAME"]).exists():
        raise CannotAsk(f"there is no catalog in {settings.KB_DATA_DIR}; set KB_DATA_DIR, or KB_SERVER to ask a server")
    from kb.catalog import queries  # noqa: PLC0415 - models can be imported once Django is set up
    from kb.matching import engine  # noqa: PLC0415
    from kb.matching.answers import Context  # noqa: PLC0415
    from kb.search.errors import SearchUnavailable  # noqa: PLC0415

    try:
        with queries.snapshot() as state:
            if not state.revision:
                raise CannotAsk("the catalog is empty; load a dataset: faultbook import SOURCE")
            found = engine.explain_many(asked.texts, limit=1, context=Context(languages=asked.languages))
            best = [one.best if one.best and one.best.confidence in _SURE else None for one in found]
            views = {view.record.id: view.record for view in queries.records_by_ids([one.id for one in best if one])}
    except SearchUnavailable as unavailable:
        raise CannotAsk(f"{unavailable.reason} Run: faultbook sync_index") from None
    base = str(settings.KB_BASE_URL) or _SERVED_AT
    for match in best:
        record = views.get(match.id) if match else None
        if match is None or record is None:
            yield None
            continue
        known = Known(id=record.id, confidence=match.confidence, error_message=record.error_message, repo=record.repo)
        yield Find.of(known, record.solutions, base_url=base)


if __name__ == "__main__":
    sys.exit(main())
