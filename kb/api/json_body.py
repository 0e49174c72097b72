"""The JSON object that a request carries, read without trusting it. Nothing told about it repeats what it says."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from kb.api.problems import Problem

__all__ = ["Repeated", "json_object"]

_JSON_TYPES = frozenset({"application/json", "text/json"})
_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii"})
_DRAINED = 16 * 1024 * 1024  # bytes of a body over the limit that are taken, so that its sender can read the answer
_PIECE = 64 * 1024
_DIGITS = 20  # of an integer that is worth making


class Repeated(dict[str, Any]):
    """An object that names a member twice; ``name`` is that member."""

    name = ""


def json_object(request: HttpRequest) -> dict[str, Any]:
    """The object in the body of ``request``; in one that names a member twice the last counts, and it is marked.

    Lone surrogates pass. Raises :class:`Problem`: ``unsupported_media_type``, ``body_too_large``, ``invalid_character``
    or ``invalid_json``.
    """
    raw = _raw(request)  # first, whatever it is: a sender that is cut off while it sends sees no answer
    _check_media_type(request)
    return _object(raw)


def _check_media_type(request: HttpRequest) -> None:
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if request.content_type not in _JSON_TYPES or charset not in _CHARSETS:
        detail = "Send the body as application/json in UTF-8, and say so in the header Content-Type."
        raise Problem("unsupported_media_type", detail)


def _raw(request: HttpRequest) -> bytes:
    """The body, in pieces or with a length. Raises :class:`Problem`."""
    most = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    pieces = "HTTP_TRANSFER_ENCODING" in request.META and request.META.get("wsgi.input_terminated")
    stream = request.META["wsgi.input"] if pieces else request
    try:
        found: bytes = stream.read(most + 1)
        if len(found) > most:
            left = _DRAINED
            while left > 0 and (taken := len(stream.read(_PIECE))):
                left -= taken
    except Exception:  # noqa: BLE001  servers have exceptions of their own for damaged pieces, and quote them
        raise Problem("bad_request", "The body broke off, or its pieces are damaged.") from None
    if len(found) > most:
        raise Problem("body_too_large", f"The body is over the limit of {most // 1024:,} KiB.")
    return found


def _object(raw: bytes) -> dict[str, Any]:
    """The JSON object in the bytes. Raises :class:`Problem`, which tells places and no content."""
    if not raw.strip():
        raise Problem("invalid_json", "The body is empty; send a JSON object.")
    try:
        found = json.loads(
            raw.decode("utf-8-sig"), object_pairs_hook=_pairs, parse_int=_integer, parse_constant=_no_constant
        )
    except UnicodeDecodeError as error:
        raise Problem("invalid_character", f"The body is no UTF-8 at byte {error.start}.") from None
    except json.JSONDecodeError as error:
        detail = f"The body is no JSON: {error.msg.removesuffix(' at')} at character {error.pos}."
        raise Problem("invalid_json", detail) from None
    except RecursionError:
        raise Problem("invalid_json", "The body is nested too deep.") from None
    except ValueError:
        raise Problem("invalid_json", "The body is no JSON: NaN and Infinity are no numbers.") from None
    if not isinstance(found, dict):
        raise Problem("invalid_json", "The body must be a JSON object.")
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    repeated, seen = Repeated(found), set[str]()
    for name, _ in pairs:
        if name in seen:
            repeated.name = name
            break
        seen.add(name)
    return repeated


def _integer(digits: str) -> int | float:
    """An integer; one that no member takes as infinity, since making it takes time with its square."""
    return int(digits) if len(digits) <= _DIGITS else float("inf")


def _no_constant(name: str) -> Any:
    raise ValueError(name)
