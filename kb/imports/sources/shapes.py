"""Records from a stream of bytes: an envelope, a bare record, an array, or JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from kb.imports.refusals import Refusal
from kb.imports.sources.documents import Fault, RawRecord, SourceItem
from kb.imports.sources.splitter import MOST_ELEMENT, Oversized, split_array, split_lines
from kb.imports.sources.streams import CHUNK, ByteStream
from kb.records.text import clean_text

__all__ = ["RecordShapes"]

_WHITE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_VERSION_LENGTH = 64
# Other documents of a dataset, by a field that only they have.
_OTHER_DOCUMENTS = {b'"errors"': "an index", b'"counts"': "a manifest", b'"clusterKey"': "a background article"}
_LOOKED_AT = 2000


class _Envelope(msgspec.Struct):
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    record: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    datasetVersion: str | msgspec.UnsetType | None = msgspec.UNSET  # noqa: N815 - the dataset's own name


_ENVELOPE = msgspec.json.Decoder(_Envelope)


class RecordShapes:
    """Reads the records of one stream. ``lines`` says that the name of the file is one of JSON Lines."""

    def __init__(self, name: str, *, lines: bool) -> None:
        self.name = name
        self.version = ""
        self._named = lines

    def read(self, stream: ByteStream) -> Iterator[SourceItem]:
        """The records, each with the line or the element it stands in. Raises ``Refusal``."""
        head, line = _first_bytes(stream)
        if not head:
            raise Refusal("not_json", self.name, "the document is empty")
        lines, head = self._are_lines(stream, head)
        if lines:
            yield from self._lines(stream, head, line)
        elif head.startswith(b"["):
            for number, raw in split_array(stream, head):
                yield self._record(raw, f"{self.name}[{number}]", number)
        else:
            yield self._document(stream, head)

    def _are_lines(self, stream: ByteStream, head: bytes) -> tuple[bool, bytes]:
        """Whether the source is JSON Lines, and what of it has been read by then.

        It is when its first line is a whole value and its name says so or the value is an object. When the first line
        is none, the source may be one document of several lines; that is tried, and else the name or the end of the
        line tells.
        """
        if not self._named and not head.startswith(b"{"):
            return False, head
        line, broken, _ = head.partition(b"\n")
        if not broken:
            return self._named or len(line) > 1, head
        if _is_json(line):
            return True, head
        while len(head) <= MOST_ELEMENT and (chunk := stream.read()):
            head += chunk
        if len(head) <= MOST_ELEMENT and _is_json(head):
            return False, head
        return self._named or line.rstrip().endswith(b"}"), head

    def _lines(self, stream: ByteStream, head: bytes, first: int) -> Iterator[SourceItem]:
        for number, line in split_lines(stream, head, first=first):
            origin = f"{self.name}:{number}"
            if isinstance(line, Oversized):
                message = f"the line has {line.size:,} bytes; one record may have {MOST_ELEMENT:,}"
                yield Fault(origin, number, "too_large", message)
            else:
                yield self._record(line, origin, number)

    def _document(self, stream: ByteStream, head: bytes) -> SourceItem:
        if not head.startswith(b"{"):
            shown = head[:40].decode("utf-8", "replace")
            message = (
                f"a dataset file holds a JSON object, an array of objects or JSON Lines, but this begins with {shown!r}"
            )
            raise Refusal("not_json", self.name, message)
        raw = head + stream.read_all(MOST_ELEMENT)
        try:
            _parse(raw)
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
    """The record in an envelope and the version that it names; ``None`` when the bytes are no envelope.

    An envelope has a record and no id: what has both is a record with a field of that name.
    """
    try:
        envelope = _ENVELOPE.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _unwrap_tolerantly(raw)
    if envelope.record is msgspec.UNSET or envelope.id is not msgspec.UNSET:
        return None, ""
    return bytes(envelope.record), _version(envelope.datasetVersion)


def _unwrap_tolerantly(raw: bytes) -> tuple[bytes | None, str]:
    """The same for JSON with NaN or lone surrogates in it, which must reach the decoder as they are."""
    if b'"record"' not in raw:
        return None, ""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None, ""
    if not isinstance(value, dict) or not isinstance(value.get("record"), dict) or "id" in value:
        return None, ""
    return json.dumps(value["record"]).encode(), _version(value.get("datasetVersion"))


def _version(value: object) -> str:
    """A version that an envelope names, as it can be stored; empty for none."""
    return clean_text(value)[0][:_VERSION_LENGTH] if isinstance(value, str) else ""


def _parse(raw: bytes) -> None:
    """Raises ``ValueError`` for what is not JSON and ``RecursionError`` for what is nested without end.

    Tolerant of NaN, of lone surrogates and of numbers of any length: those are for the decoder to judge.
    """
    json.loads(raw.decode("utf-8", "surrogatepass"), parse_int=str, parse_float=str)


def _is_json(raw: bytes) -> bool:
    try:
        _parse(raw)
    except ValueError:
        return False
    except RecursionError:
        return True
    return True


def _names(raw: bytes) -> set[str]:
    """The field names of a JSON object; none for anything else."""
    try:
        return set(msgspec.json.decode(raw, type=dict[str, msgspec.Raw]))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return set()


def _first_bytes(stream: ByteStream) -> tuple[bytes, int]:
    """Enough of the beginning to tell the shape, and the line it begins in.

    That is from the first byte on that is not white space a whole line, or as much as one record may have. White space
    before it is dropped as it comes, so that any amount of it costs no more than reading it.
    """
    head, line = b"", 1
    while b"\n" not in head and len(head) <= MOST_ELEMENT and (chunk := stream.read(CHUNK)):
        if not head:
            rest = chunk.removeprefix(_BOM).lstrip(_WHITE)
            line += chunk.count(b"\n", 0, len(chunk) - len(rest))
            chunk = rest
        head += chunk
    return head, line
