"""A file that a request carries, streamed into the spool: never in memory, and never past the limit.

It comes raw, with its name in the query, or in a form (multipart) as the part ``file``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, RawPostDataException
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from kb.api.problems import Problem
from kb.imports.jobs.folders import JobFolder

__all__ = ["FORM", "RAW", "longest_upload", "receive", "sent_length"]

FORM = "multipart/form-data"
RAW = "application/octet-stream"
_PIECE = 256 * 1024
_PART = "file"


def longest_upload() -> int:
    """Bytes that a file may have."""
    return int(settings.KB_UPLOAD_MIB) * 1024 * 1024


def sent_length(request: HttpRequest) -> int:
    """The length that the client announces, 0 when it does not. Raises :class:`Problem` ``body_too_large``."""
    try:
        length = max(0, int(request.META.get("CONTENT_LENGTH") or 0))
    except ValueError:
        length = 0
    if length > longest_upload() + _PIECE:  # a form has some bytes around its file
        raise _too_large()
    return length


def receive(request: HttpRequest, folder: JobFolder, name: str) -> Path:
    """The file of a request, written into ``folder``. ``name`` is what a raw body is called; a form names its file.

    Raises :class:`Problem` (``bad_request``, ``body_too_large``, ``invalid_parameter``) and ``OSError``.
    """
    if request.content_type == FORM:
        return _from_form(request, folder)
    target = folder.upload(name)
    with _writer(target) as write:
        for piece in _pieces(request):
            write(piece)
    if not target.stat().st_size:
        raise Problem("bad_request", "The body is empty; send the file.")
    return target


def _pieces(request: HttpRequest) -> Iterator[bytes]:
    """The body as it comes, with a length or in chunks. Raises :class:`Problem` ``bad_request``."""
    chunked = "HTTP_TRANSFER_ENCODING" in request.META and request.META.get("wsgi.input_terminated")
    stream: Any = request.META["wsgi.input"] if chunked else request
    announced, received = sent_length(request), 0
    while True:
        try:
            piece = stream.read(_PIECE)
        except Exception:  # noqa: BLE001  servers have exceptions of their own for damaged chunks
            raise _broken() from None
        if not piece:
            break
        received += len(piece)
        yield piece
    if not chunked and received < announced:
        raise _broken()


@contextmanager
def _writer(target: Path) -> Iterator[Any]:
    """A function that appends to ``target`` within the limit. Raises :class:`Problem` ``body_too_large``."""
    target.parent.mkdir(parents=True, exist_ok=True)
    most, written = longest_upload(), 0
    with target.open("xb") as file:

        def write(piece: bytes) -> None:
            nonlocal written
            written += len(piece)
            if written > most:
                raise _too_large()
            file.write(piece)

        yield write


class _Spool(FileUploadHandler):
    """Writes the one file of a form into a folder."""

    def __init__(self, folder: JobFolder) -> None:
        super().__init__()
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._written = 0
        self.target: Path | None = None

    def new_file(self, *args: Any, **named: Any) -> None:
        """A file begins. Raises :class:`Problem` for a second one, or another part."""
        super().new_file(*args, **named)
        if self.field_name != _PART or self.target is not None:
            raise Problem("bad_request", f"A form carries one file, in its part {_PART}.")
        self.target = self._folder.upload(self.file_name or "")
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.target.open("xb")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:  # noqa: ARG002  Django's signature
        """The next bytes of the file. Raises :class:`Problem` ``body_too_large``."""
        self._written += len(raw_data)
        if self._written > longest_upload():
            raise _too_large()
        if self._file is not None:
            self._file.write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile[Any] | None:  # noqa: ARG002  Django's signature
        """Nothing for Django to keep."""
        self.close()
        return None

    def close(self) -> None:
        """Closes the file, however far it came."""
        if self._file is not None:
            self._file.close()


def _from_form(request: HttpRequest, folder: JobFolder) -> Path:
    spool = _Spool(folder)
    try:
        parser = MultiPartParser(request.META, request, [spool], "utf-8")
        fields, _ = parser.parse()
    except (MultiPartParserError, RawPostDataException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise _broken() from error
    finally:
        spool.close()
    if fields:
        raise Problem("bad_request", f"Only {_PART} may be in the form; options stand in the query.")
    if spool.target is None or not spool.target.stat().st_size:
        raise Problem("bad_request", f"The form carries no file in its part {_PART}, or an empty one.")
    return spool.target


def _too_large() -> Problem:
    return Problem("body_too_large", f"The file is over the limit of {int(settings.KB_UPLOAD_MIB):,} MiB.")


def _broken() -> Problem:
    return Problem("bad_request", "The body broke off, or its pieces are damaged.")
