"""The text that the explain page was asked about, read from an address or a form, within its bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_variables

from kb.matching.tuning import MAX_TEXT
from kb.present.numbers import grouped
from kb.web.edge import Refusal

__all__ = ["ExplainRequest", "explain_request"]

_MOST_DIGITS = 4
_PIECE = 64 * 1024
_MOST_PIECES = 512  # of a body that nobody reads: a client that still sends does not see an answer


@dataclass(frozen=True, kw_only=True)
class ExplainRequest:
    """``text`` is empty when nothing was asked. ``unreadable`` counts the characters that stood for no text, ``hidden``
    the secrets that the reader's browser hid before it sent the text, as it says; ``cut`` says that it sent only the
    last part.
    """

    text: str
    unreadable: int
    sent: bool
    hidden: int = 0
    cut: bool = False


@sensitive_variables()
def explain_request(request: HttpRequest) -> ExplainRequest | Refusal:
    """What was asked: the field ``text`` of a form, else the parameter ``q``.

    NUL and lone surrogates become U+FFFD here, unlike elsewhere (decisions 6): they stand in what programs print, and
    the rest of the text is as good. Line breaks of forms become those of text.
    """
    if request.method != "POST":
        return _read(request.GET.get("q", ""), sent=False)
    whole = _whole(request)
    if isinstance(whole, Refusal):
        return whole
    try:
        text = whole.POST.get("text", "")
    except RequestDataTooBig:  # a field of a multipart body, which is not counted by the length alone
        return _too_large(_length(whole))
    read = _read(text, sent=True)
    if isinstance(read, Refusal):
        return read
    return replace(read, hidden=_count(whole.POST.get("hidden", "")), cut=whole.POST.get("cut") == "1")


def _count(digits: str) -> int:
    """A number of one to four ASCII digits; 0 for anything else."""
    return int(digits) if len(digits) <= _MOST_DIGITS and digits.isascii() and digits.isdecimal() else 0


def _whole(request: HttpRequest) -> HttpRequest | Refusal:
    """The request with its whole body at hand. Of one in pieces, which has no length, Django reads nothing."""
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if not ("HTTP_TRANSFER_ENCODING" in request.META and request.META.get("wsgi.input_terminated")):
        if _length(request) <= most:
            return request
        _discard(request)
        return _too_large(_length(request))
    stream = request.META["wsgi.input"]
    try:
        body = stream.read(most + 1)
        if len(body) > most:
            return _too_large(len(body) + _discard(stream))
    except Exception:  # noqa: BLE001 - servers have exceptions of their own for damaged pieces, and quote them
        return Refusal(status=400, code="bad_request", detail=gettext("The text broke off on its way. Send it again."))
    return WSGIRequest({**request.META, "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body)})


def _length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _discard(stream: Any) -> int:
    """Takes what a client still sends; the number of bytes."""
    taken = 0
    for _ in range(_MOST_PIECES):
        piece = len(stream.read(_PIECE))
        taken += piece
        if not piece:
            break
    return taken


def _read(text: str, *, sent: bool) -> ExplainRequest | Refusal:
    read = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
    if len(read) > MAX_TEXT:
        return _too_large(len(read))
    whole = read.decode("utf-8", "replace") if b"\xed" in read else text.replace("\r\n", "\n")
    return ExplainRequest(text=whole.replace("\0", "\ufffd"), unreadable=text.count("\0"), sent=sent)


def _too_large(length: int) -> Refusal:
    detail = gettext(
        "The text has %(length)s bytes; at most %(most)s are read. The part from the first to the last line of the "
        "trace is enough. For whole logs there is the command line: faultbook scan LOGFILE."
    ) % {"length": grouped(length), "most": grouped(MAX_TEXT)}
    return Refusal(status=413, code="text_too_long", detail=detail)
