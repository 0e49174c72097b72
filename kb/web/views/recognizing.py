"""What the paste box tells while somebody types. Nothing of the text is kept or logged, and no catalog is asked."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from kb.present.language import in_site_language
from kb.web import failures
from kb.web.edge import Refusal
from kb.web.explain_request import explain_request
from kb.web.recognition import Recognized, recognized

__all__ = ["RecognitionFailed", "recognize"]


class RecognitionFailed(Exception):
    """The reader failed. Only the kind of failure is told: its words could quote the text."""


@csrf_exempt
@sensitive_post_parameters()
@in_site_language
@sensitive_variables()
def recognize(request: HttpRequest) -> HttpResponse:
    """``POST /explain/recognized/``: the line below the box for the form's ``text``.

    ``hidden`` is how many secrets the browser took out of it, ``cut`` whether only its last part will be sent. It
    changes nothing, so it needs no token.
    """
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    asked = explain_request(request)
    if isinstance(asked, Refusal):
        return failures.refused(request, asked)
    context = {
        "found": _recognized(asked.text),
        "hidden": _count(request.POST.get("hidden", "")),
        "cut": request.POST.get("cut") == "1",
    }
    response = HttpResponse(render_to_string("parts/recognized.html", context))
    response.headers["Cache-Control"] = "no-store"
    return response


@sensitive_variables()
def _recognized(text: str) -> Recognized | None:
    try:
        return recognized(text)
    except Exception as error:  # noqa: BLE001 - whatever it is, its words may hold the text and would be logged
        raise RecognitionFailed(type(error).__name__).with_traceback(error.__traceback__) from None


def _count(text: str) -> int:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) < len(str(most)) else 0
