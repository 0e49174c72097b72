"""The text that the explain page was asked about, read from an address or a form, within its bounds."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from kb.matching.tuning import MAX_TEXT
from kb.web.edge import Refusal

__all__ = ["ExplainRequest", "explain_request"]

_PIECE = 64 * 1024
_MOST_PIECES = 512  # of a body that nobody reads: a client that still sends does not see an answer


@dataclass(frozen=True, kw_only=True)
class ExplainRequest:
    """``text`` is empty when nothing was asked. ``unreadable`` counts the characters that stood for no text."""

    text: str
    unreadable: int
    sent: bool


@sensitive_variables()
def explain_request(request: HttpRequest) -> ExplainRequest | Refusal:
    """What was asked: the field ``text`` of a form, else the parameter ``q``.

    NUL and lone surrogates become U+FFFD here, unlike elsewhere (decisions 6): they stand in what programs print, and
    the rest of the text is as good. Line breaks of forms become those of text.
    """
    if request.method != "POST":
        return _read(request.GET.get("q", ""), sent=False)
    if _length(request) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        _discard(request)
        return _too_large(_length(request))
    try:
        text = request.POST.get("text", "")
    except RequestDataTooBig:  # a field of a multipart body, which is not counted by the length alone
        return _too_large(_length(request))
    return _read(text, sent=True)


def _length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _discard(request: HttpRequest) -> None:
    for _ in range(_MOST_PIECES):
        if not request.read(_PIECE):
            break


def _read(text: str, *, sent: bool) -> ExplainRequest | Refusal:
    read = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
    if len(read) > MAX_TEXT:
        return _too_large(len(read))
    whole = read.decode("utf-8", "replace") if b"\xed" in read else text.replace("\r\n", "\n")
    return ExplainRequest(text=whole.replace("\0", "\ufffd"), unreadable=text.count("\0"), sent=sent)


def _too_large(length: int) -> Refusal:
    detail = (
        f"The text has {length:,} bytes; at most {MAX_TEXT:,} are read. The part from the first to the last line of "
        "the trace is enough. For whole logs there is the command line: faultbook scan LOGFILE."
    )
    return Refusal(status=413, code="text_too_long", detail=detail)
