"""Where explanations come from: the catalog of this installation, or another server by its API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

import msgspec

from kb.api.match_shapes import MOST_RECORDS, ResultShaper, found_ids
from kb.catalog import queries
from kb.catalog.answers import RecordRow, RecordView
from kb.cli.readiness import database_problem
from kb.cli.remote_answers import Unreadable, read_answer
from kb.cli.sites import default_base_url
from kb.integrations.instance import CannotAsk, Instance
from kb.matching import engine
from kb.matching.answers import Context, Explanation
from kb.matching.tuning import MAX_TEXT
from kb.present.explanation import alike_ids, record_ids, report_of
from kb.present.explanation_markdown import explanation_markdown
from kb.present.explanation_parts import Report
from kb.search.errors import SearchUnavailable

__all__ = ["Answer", "Asked", "CannotExplain", "LocalCatalog", "Server", "Source"]

_TIMEOUT: Final = 30.0  # seconds


class CannotExplain(Exception):
    """Why there is no answer, and what helps, on one line."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How many matches an error may have, and what the caller knows of the program."""

    limit: int = 5
    context: Context = field(default_factory=Context)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one text was found to be. ``make_json`` gives the result as the API does, on one line."""

    explanation: Explanation
    records: tuple[RecordView, ...]
    alike: tuple[RecordRow, ...]
    base_url: str
    make_json: Callable[[], bytes]

    @property
    def found(self) -> bool:
        """Whether there is a record for it."""
        return self.explanation.best is not None

    def report(self) -> Report:
        """The answer in the order and words for people."""
        return report_of(self.explanation, self.records, alike=self.alike)

    def markdown(self) -> str:
        """The answer as Markdown."""
        return explanation_markdown(self.explanation, self.records, alike=self.alike, base_url=self.base_url)


class Source(Protocol):
    """Explains texts."""

    def explain(self, text: str, asked: Asked) -> Answer:
        """The answer. Raises :class:`CannotExplain`."""


class LocalCatalog:
    """The catalog that the settings name."""

    def __init__(self) -> None:
        self._is_ready = False

    def explain(self, text: str, asked: Asked) -> Answer:
        """The answer of the engine. Raises :class:`CannotExplain`."""
        problem = "" if self._is_ready else database_problem()
        if problem:
            raise CannotExplain(problem)
        self._is_ready = True
        try:
            return self._explained(text, asked)
        except SearchUnavailable as unavailable:
            raise CannotExplain(f"{unavailable.reason} Run: faultbook sync_index") from None

    def _explained(self, text: str, asked: Asked) -> Answer:
        base = default_base_url()
        with queries.snapshot() as state:
            if not state.revision:
                raise CannotExplain("The catalog is empty. Load a dataset first: faultbook import SOURCE")
            explanation = engine.explain(text, limit=asked.limit, context=asked.context)
            found = queries.records_by_ids(found_ids([explanation])[:MOST_RECORDS])
            alike = queries.record_rows(alike_ids(explanation))
        records = {view.row.id: view for view in found}

        def make_json() -> bytes:
            return msgspec.json.encode(ResultShaper(base, "full", records).result(explanation))

        shown = tuple(records[key] for key in record_ids(explanation) if key in records)
        return Answer(explanation=explanation, records=shown, alike=alike, base_url=base, make_json=make_json)


class Server:
    """Another Faultbook. ``url`` is its address, with or without a path below which it is served."""

    def __init__(self, url: str, *, timeout: float = _TIMEOUT) -> None:
        """Raises ``ValueError`` with what is wrong with the address."""
        self._instance = Instance(url, timeout=timeout)

    def explain(self, text: str, asked: Asked) -> Answer:
        """The answer of the server to the last 256 KiB of the text. Raises :class:`CannotExplain`."""
        body = {
            "text": text.encode("utf-8", "replace")[-MAX_TEXT:].decode("utf-8", "ignore"),
            "limit": asked.limit,
            "detail": "full",
            "context": {
                "packages": list(asked.context.packages),
                "repositories": list(asked.context.repositories),
                "languages": list(asked.context.languages),
            },
        }
        base = self._instance.base_url
        try:
            result, explanation, records = read_answer(self._instance.post("/api/v1/match/", body))
        except CannotAsk as problem:
            raise CannotExplain(str(problem)) from None
        except Unreadable:
            raise CannotExplain(f"{base} does not answer as a Faultbook server does") from None
        return Answer(explanation=explanation, records=records, alike=(), base_url=base, make_json=lambda: result)
