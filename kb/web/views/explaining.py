"""The explain page: a pasted text in, the records of its errors out. Nothing of the text is kept or logged."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from kb.catalog import queries
from kb.matching.answers import Explanation
from kb.matching.engine import explain
from kb.present import links
from kb.present.cache import part_cache
from kb.present.explanation import alike_ids, record_ids
from kb.present.explanation_markdown import explanation_markdown
from kb.present.explanation_page import explanation_page
from kb.search.errors import SearchUnavailable
from kb.web import failures
from kb.web.addresses import base_url
from kb.web.edge import Refusal
from kb.web.explain_request import explain_request
from kb.web.pages import Page, Visit, form_page

__all__ = ["ExplainFailed", "explain_text"]


class ExplainFailed(Exception):
    """The engine failed. Only the kind of failure is told: its words could quote the text."""


@sensitive_post_parameters()
@form_page
@sensitive_variables()
def explain_text(visit: Visit) -> Page | HttpResponseBase:
    """``/explain/``: the empty form, or the report. Seven queries at most.

    Raises ``SearchUnavailable``, which is answered 503.
    """
    asked = explain_request(visit.request)
    if isinstance(asked, Refusal):
        return failures.refused(visit.request, asked)
    if not asked.text.strip():
        return _page({"asked": asked, "missing": asked.sent})
    explanation = _explained(asked.text)
    records = queries.records_by_ids(record_ids(explanation))
    alike = queries.record_rows(alike_ids(explanation))
    shown = explanation_page(explanation, records, alike=alike, cache=part_cache())
    markdown = explanation_markdown(explanation, records, alike=alike, base_url=base_url(visit.request))
    return _page({"asked": asked, "shown": shown, "markdown": markdown}, title=shown.headline)


def _page(context: dict[str, object], *, title: str = "") -> Page:
    return Page(
        template="explain.html",
        title=title or gettext("Explain an error"),
        path=links.EXPLAIN,
        section="explain",
        description=gettext(
            "Paste an error message, a log excerpt or a whole stack trace: the documented error, the evidence for it, "
            "and what to do."
        ),
        indexed="shown" not in context,
        context=context,
    )


@sensitive_variables()
def _explained(text: str) -> Explanation:
    try:
        return explain(text)
    except (SearchUnavailable, OperationalError, InterfaceError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, its words may hold the text and would be logged
        raise ExplainFailed(type(error).__name__).with_traceback(error.__traceback__) from None
