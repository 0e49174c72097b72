"""Which form of an answer a client asked for by ``Accept``."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest

__all__ = ["Form", "form_asked_for"]

Form = Literal["html", "markdown", "json", "text"]

_FORMS: dict[str, Form] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "application/json": "json",
    "text/plain": "text",
}


def form_asked_for(request: HttpRequest) -> Form:
    """The form that ``Accept`` names with the highest quality, the first of several; else ``text``.

    A wildcard names nothing: a browser always names HTML, and who says ``*/*`` or nothing is most often a terminal
    (decisions 16). A type that we do not make is passed over: a card is better than a refusal.
    """
    best: tuple[float, Form] = (0.0, "text")
    for accepted in request.accepted_types:
        form = _FORMS.get(f"{accepted.main_type}/{accepted.sub_type}".lower())
        if form and accepted.quality > best[0]:
            best = (accepted.quality, form)
    return best[1]
