"""A record ready to be written: its columns and its packed JSON, made once, in whichever process has time for it.

Pure. Preparing takes several times as long as decoding, so an import lets other processes do it; what they made waits
in a file as bytes, and the publication writes it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import msgspec

from kb.catalog.columns import RECORD_COLUMNS, column_language, record_values
from kb.catalog.contents import pack, pack_json, unpack
from kb.records.encode import Fragments
from kb.records.hashing import substance_hash
from kb.records.record import Record

__all__ = ["Prepared", "prepare", "read_prepared"]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple).decode
_PLACES = {name: place for place, name in enumerate(RECORD_COLUMNS)}
_LANGUAGE, _FILE_PATH, _TAGS, _FINDINGS = (_PLACES[name] for name in ("language", "file_path", "tags", "findings"))
_keys = itemgetter(*(_PLACES[name] for name in ("id", "repo", "slug", "content_hash")))
_strings = msgspec.json.Decoder(tuple[str, ...]).decode


class Prepared:
    """The values of ``RECORD_COLUMNS`` for a record, and ``packed``, its JSON as changes and copies keep it.

    ``id``, ``repo``, ``slug`` and ``content_hash`` are those of the record.
    """

    __slots__ = ("_record", "content_hash", "id", "packed", "repo", "slug", "values")

    id: str
    repo: str
    slug: str
    content_hash: str

    def __init__(self, values: Sequence[Any], packed: bytes, record: Record | None = None) -> None:
        self.values = values
        self.packed = packed
        self.id, self.repo, self.slug, self.content_hash = _keys(values)
        self._record = record

    def column(self, name: str) -> Any:
        """The value of a column; the language is that of a record in a repository without one."""
        return self.values[_PLACES[name]]

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags, each once."""
        text = self.values[_TAGS]
        return tuple(dict.fromkeys(_strings(text))) if text != "[]" else ()

    @property
    def findings(self) -> tuple[str, ...]:
        """Its quality findings."""
        text = self.values[_FINDINGS]
        return _strings(text) if text != "[]" else ()

    @property
    def record(self) -> Record:
        """The record itself, read back when it was prepared elsewhere. Raises ``ValueError`` when that is damaged."""
        if self._record is None:
            self._record = unpack(self.packed)
        return self._record

    def row(self, repository_language: str | None) -> tuple[Any, ...]:
        """The values of ``RECORD_COLUMNS`` for a record in a repository of this language."""
        if repository_language is None:
            return tuple(self.values)
        values = list(self.values)
        values[_LANGUAGE] = column_language(values[_FILE_PATH], repository_language)
        return tuple(values)

    def to_bytes(self) -> bytes:
        """The values as bytes, for :func:`read_prepared`."""
        return _encode(self.values)


def prepare(record: Record, *, digest: str, fragments: Fragments | None = None) -> Prepared:
    """A record made ready. ``digest`` is its content hash; ``fragments`` are the record's own, where there are any."""
    substance = substance_hash(record, fragments)
    values = record_values(record, digest=digest, repository_language=None, substance=substance)
    return Prepared(values, pack_json(fragments.document()) if fragments is not None else pack(record), record)


def read_prepared(values: bytes, packed: bytes) -> Prepared:
    """The inverse of :meth:`Prepared.to_bytes`. Raises ``msgspec.DecodeError`` when the bytes are damaged."""
    return Prepared(_decode(values), packed)
