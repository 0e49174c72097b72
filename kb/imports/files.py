"""Records from one file or from standard input: an envelope, a bare record, an array, or JSON Lines; packed or not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from kb.imports.documents import Fault, RawRecord, SourceItem
from kb.imports.refusals import Refusal
from kb.imports.splitter import MOST_ELEMENT, Oversized, split_array, split_lines
from kb.imports.streams import CHUNK, ByteStream, open_stream, wrap_stream

__all__ = ["FileSource"]

_LINE_ENDINGS = (".jsonl", ".ndjson")
_WHITE = b" \t\r\n"
# Other documents of a dataset, by a field that only they have.
_OTHER_DOCUMENTS = {b'"errors"': "an index", b'"counts"': "a manifest", b'"clusterKey"': "a background article"}
_LOOKED_AT = 2000


class _Envelope(msgspec.Struct):
    record: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    datasetVersion: str | msgspec.UnsetType | None = msgspec.UNSET  # noqa: N815 - the dataset's own name


_ENVELOPE = msgspec.json.Decoder(_Envelope)


class FileSource:
    """A file, or standard input when the path is ``-``. Records add and update; nothing is known to be gone."""

    complete = False
    expected: int | None = None

    def __init__(self, path: str) -> None:
        self._path = path
        self.name = "standard input" if path == "-" else path
        self.version = ""

    def read(self) -> Iterator[SourceItem]:
        """The records, each with the line or the element it stands in. Raises ``Refusal``."""
        with self._open() as stream:
            head = _first_bytes(stream)
            if not head.strip(_WHITE):
                raise Refusal("not_json", self.name, "the document is empty")
            if self._is_lines(head):
                yield from self._lines(stream, head)
            elif head.removeprefix(b"\xef\xbb\xbf").lstrip(_WHITE)[:1] == b"[":
                for number, raw in split_array(stream, head):
                    yield self._record(raw, f"{self.name}[{number}]", number)
            else:
                yield self._document(stream, head)

    @contextmanager
    def _open(self) -> Iterator[ByteStream]:
        if self._path == "-":
            yield wrap_stream(sys.stdin.buffer, self.name)
            return
        with open_stream(Path(self._path), self.name) as stream:
            yield stream

    def _is_lines(self, head: bytes) -> bool:
        """By name, or because the first line is a whole object and there is more, or no end in sight."""
        stem = self._path.removesuffix(".gz").removesuffix(".zst")
        if stem.endswith(_LINE_ENDINGS):
            return True
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip(_WHITE)
        line, broken, _ = text.partition(b"\n")
        return text.startswith(b"{") and (not broken or line.rstrip().endswith(b"}")) and len(line) > 1

    def _lines(self, stream: ByteStream, head: bytes) -> Iterator[SourceItem]:
        for number, line in split_lines(stream, head):
            origin = f"{self.name}:{number}"
            if isinstance(line, Oversized):
                message = f"the line has {line.size:,} bytes; one record may have {MOST_ELEMENT:,}"
                yield Fault(origin, number, "too_large", message)
            else:
                yield self._record(line, origin, number)

    def _document(self, stream: ByteStream, head: bytes) -> SourceItem:
        if head.removeprefix(b"\xef\xbb\xbf").lstrip(_WHITE)[:1] != b"{":
            shown = head[:40].decode("utf-8", "replace")
            message = (
                f"a dataset file holds a JSON object, an array of objects or JSON Lines, but this begins with {shown!r}"
            )
            raise Refusal("not_json", self.name, message)
        raw = head + stream.read_all(MOST_ELEMENT)
        raw = raw.removeprefix(b"\xef\xbb\xbf")
        try:
            json.loads(raw)  # tolerant of NaN and lone surrogates, which are for the decoder to judge
        except (ValueError, RecursionError) as error:
            raise Refusal("not_json", self.name, f"the document is not JSON: {error}") from error
        return self._record(raw, self.name, 0)

    def _record(self, raw: bytes, origin: str, position: int) -> RawRecord:
        """Takes a record out of its envelope, and notes the version that the envelope names."""
        record, version = _unwrap(raw)
        if record is None:
            self._refuse_other_documents(raw)
            return RawRecord(origin, position, raw)
        self.version = max(self.version, version)
        return RawRecord(origin, position, record)

    def _refuse_other_documents(self, raw: bytes) -> None:
        """An index or a manifest in place of records is a mistake to tell, not a record to reject."""
        for field, what in _OTHER_DOCUMENTS.items():
            if field in raw[:_LOOKED_AT]:
                names = _names(raw)
                if field.decode().strip('"') in names and "id" not in names:
                    message = f"this is {what}, not a record; give the directory of the dataset, or files of records"
                    raise Refusal("unknown_shape", self.name, message)


def _unwrap(raw: bytes) -> tuple[bytes | None, str]:
    """The record in an envelope and the version that it names; ``None`` when the bytes are no envelope."""
    try:
        envelope = _ENVELOPE.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _unwrap_tolerantly(raw)
    if envelope.record is msgspec.UNSET:
        return None, ""
    version = envelope.datasetVersion
    return bytes(envelope.record), version[:64] if isinstance(version, str) else ""


def _unwrap_tolerantly(raw: bytes) -> tuple[bytes | None, str]:
    """The same for JSON with NaN or lone surrogates in it, which must reach the decoder as they are."""
    if b'"record"' not in raw:
        return None, ""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None, ""
    if not isinstance(value, dict) or not isinstance(value.get("record"), dict):
        return None, ""
    version = value.get("datasetVersion")
    return json.dumps(value["record"]).encode(), version[:64] if isinstance(version, str) else ""


def _names(raw: bytes) -> set[str]:
    """The field names of a JSON object; none for anything else."""
    try:
        return set(msgspec.json.decode(raw, type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return set()


def _first_bytes(stream: ByteStream) -> bytes:
    """Enough of the beginning to tell the shape: a first line, or as much of it as one record may have."""
    head = b""
    while b"\n" not in head.lstrip(_WHITE) and len(head) <= MOST_ELEMENT:
        chunk = stream.read(CHUNK)
        if not chunk:
            break
        head += chunk
        if head.lstrip(_WHITE + b"\xef\xbb\xbf")[:1] == b"[":
            break
    return head
