"""The view of matching: which records say what went wrong in a text.

Nothing of a text is kept: no answer may be stored, and a failure is logged without what its exception says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from kb.api import bodies, match_answers, match_shapes
from kb.api.endpoints import ENDPOINTS
from kb.api.links import base_url
from kb.api.parameters import parse
from kb.api.problems import Problem
from kb.api.view import Call, EndpointView, Made, content_type
from kb.catalog import queries
from kb.matching import engine
from kb.matching.answers import Context, Explanation
from kb.matching.tuning import MAX_TEXT
from kb.records.text import REPLACEMENT

__all__ = ["MatchView"]


class MatchView(EndpointView):
    """One short text by GET; by POST one of any length, or several."""

    http_method_names = ["get", "head", "post", "options"]
    private = True

    def post(self, request: Request, **parts: str) -> HttpResponseBase:
        """Answer the texts of the body."""
        http = request._request  # noqa: SLF001  # its stream, which REST framework would read with a parser
        posting = self.posting or ENDPOINTS["matchTexts"]
        values = bodies.read(http, posting.body) if posting.body else {}
        parse(http.META.get("QUERY_STRING", ""), posting.parameters)
        text = values["text"]
        if text is not None and _is_too_large(text):
            raise Problem("text_too_large", f"The text is over the limit of {MAX_TEXT // 1024} KiB.")
        with queries.snapshot() as state:
            call = Call(
                request=http,
                base=base_url(http),
                media_type=request.accepted_media_type or posting.media_types[0],
                values=values,
                parts=parts,
                state=state,
            )
            return self.answer(call)

    def known_tag(self, call: Call) -> None:  # noqa: ARG002  # no answer has a tag
        """No client holds a copy."""
        return

    def answer(self, call: Call) -> HttpResponseBase:
        """The answer, which nobody is to keep."""
        made = self.make(call)
        response = self.stamped(HttpResponse(made.body, content_type=content_type(call.media_type)), call)
        response["Cache-Control"] = "no-store" if call.request.method == "POST" else "private, no-store"
        return response

    def make(self, call: Call) -> Made:
        """One result a text. At most three queries, and one more for whole records, whatever the number of texts."""
        texts = _texts(call)
        explanations = iter(_explained([text for text in texts if not _is_too_large(text)], call))
        found = [None if _is_too_large(text) else next(explanations) for text in texts]
        read = [row for row in found if row is not None]
        ids = match_shapes.found_ids(read)[: match_shapes.MOST_RECORDS] if call.values["detail"] == "full" else ()
        records = {view.row.id: view for view in queries.records_by_ids(ids)}
        shaper = match_shapes.ResultShaper(call.base, call.values["detail"], records)
        answer = match_answers.MatchAnswer(
            dataset_version=read[0].version if read else call.state.version,
            revision=read[0].revision if read else call.state.revision,
            results=[match_shapes.too_large(MAX_TEXT) if row is None else shaper.result(row) for row in found],
        )
        return Made(body=msgspec.json.encode(answer))


def _texts(call: Call) -> tuple[str, ...]:
    values = call.values
    for name in ("q", "text"):
        if values.get(name) is not None:
            return (values[name],)
    return tuple(values["texts"])


def _explained(texts: Sequence[str], call: Call) -> tuple[Explanation, ...]:
    if not texts:
        return ()
    return engine.explain_many(texts, limit=call.values["limit"], context=_context(call))


def _context(call: Call) -> Context:
    given: Mapping[str, Any] = call.values.get("context") or call.values
    return Context(
        packages=_names(given.get("packages")),
        repositories=_names(given.get("repositories")),
        languages=_names(given.get("languages")),
    )


def _names(values: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values or ()))


def _is_too_large(text: str) -> bool:
    """Whether a text is over the limit; what was replaced counts as the one byte that a NUL is."""
    return len(text) > MAX_TEXT or len(text.encode()) - 2 * text.count(REPLACEMENT) > MAX_TEXT
