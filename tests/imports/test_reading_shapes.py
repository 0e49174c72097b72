"""What a file is taken for: lines or a document, an envelope or a record, packed or plain, after any white space."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard

from kb.imports.refusals import Refusal
from kb.imports.sources.splitter import MOST_ELEMENT, split_array
from kb.imports.sources.streams import ByteStream, wrap_stream


def _lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


# --- lines or a document --------------------------------------------------------------------------------------------


def _brace_first(record: dict[str, Any]) -> str:
    rest = json.dumps(record, indent=1).removeprefix("{")
    return '{"extra": {"a": 1}\n,' + rest


DOCUMENTS = {
    "a first line that ends in a brace": _brace_first,
    "indented": lambda record: json.dumps(record, indent=2),
    "indented, with a long number": lambda record: json.dumps({**record, "big": 10**900}, indent=2),
    "indented array": lambda record: json.dumps([record], indent=2),
    "indented envelope": lambda record: json.dumps({"datasetVersion": "v", "record": record}, indent=2),
    "one line": json.dumps,
}


@pytest.mark.parametrize("name", ["one.json", "one.txt", "one.jsonl", "one.ndjson", "one.jsonl.gz"])
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_one_document_is_one_whatever_its_lines_and_its_name(
    kind: str, name: str, tmp_path: Path, run: Any, record: Any
) -> None:
    path = tmp_path / name
    text = DOCUMENTS[kind](record()).encode()
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    report = run(path)
    assert (report.outcome, report.added, report.rejected) == ("published", 1, 0), report.rejections or report.error


@pytest.mark.parametrize("name", ["some.jsonl", "some.txt"])
@pytest.mark.parametrize("first", ['{"id": broken}', '{"id": "\\q"}', '{"record": {}'])
def test_a_broken_first_line_is_rejected_alone(name: str, first: str, tmp_path: Path, run: Any, record: Any) -> None:
    path = tmp_path / name
    path.write_text(first + "\n" + _lines(record(1), record(2)))
    report = run(path)
    if name == "some.txt" and not first.endswith("}"):
        assert (report.outcome, report.code) == ("refused", "not_json")
        return
    assert (report.added, report.rejected) == (2, 1)
    assert report.rejections[0]["origin"] == f"{path}:1"


def test_the_lines_after_a_broken_first_one_are_all_read(
    tmp_path: Path, run: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports.sources import shapes, splitter

    for module in (shapes, splitter):
        monkeypatch.setattr(module, "MOST_ELEMENT", 3000)
    monkeypatch.setattr(shapes, "CHUNK", 100)
    path = tmp_path / "some.jsonl"
    path.write_text("{\n" + _lines(*(record(number) for number in range(1, 40))))
    report = run(path)
    assert (report.added, report.rejected) == (39, 1)


# --- an envelope or a record ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [{"id": "x"}, "text", 5, None, [], "\ud800"])
def test_a_record_with_a_field_named_record_is_a_record(
    value: Any, tmp_path: Path, run: Any, record: Any, catalog_records: Any
) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(record(record=value)))
    report = run(path)
    assert (report.added, report.rejected, report.unknown_fields) == (1, 0, ["record"])
    kept = "\N{REPLACEMENT CHARACTER}" if value == "\ud800" else value
    assert catalog_records() == {record()["id"]: record(record=kept)}


# --- white space ----------------------------------------------------------------------------------------------------


class White(bytes):
    """White space whose stripping is counted, so that work can be told without a clock."""

    looked_at = 0

    def lstrip(self, chars: Any = None, /) -> bytes:  # type: ignore[override]
        White.looked_at += len(self)
        return bytes(self).lstrip(chars)

    def __add__(self, other: Any, /) -> White:
        return White(bytes(self) + other)

    def __radd__(self, other: Any, /) -> White:
        return White(other + bytes(self))

    def removeprefix(self, prefix: Any, /) -> White:
        return White(bytes(self).removeprefix(prefix))

    def strip(self, chars: Any = None, /) -> bytes:  # type: ignore[override]
        White.looked_at += len(self)
        return bytes(self).strip(chars)


class Spaces:
    """Many chunks of white space, then an array."""

    def __init__(self, chunks: int, size: int) -> None:
        self._left, self._size = chunks, size

    def read(self, _size: int = -1, /) -> bytes:
        self._left -= 1
        if self._left >= 0:
            return White(b" " * self._size)
        return b"[1, 2]" if self._left == -1 else b""


def test_white_space_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.imports.sources import splitter

    monkeypatch.setattr(splitter, "_SMALL", -1)  # as of a document that is too large to be taken as a whole
    White.looked_at = 0
    found = [raw for _, raw in split_array(ByteStream(Spaces(500, 100), None, "test"))]
    assert [json.loads(raw) for raw in found] == [1, 2]
    assert 50_000 <= White.looked_at < 60_000


@pytest.mark.parametrize("white", [" ", "\n", "\r\n\t"])
@pytest.mark.parametrize("shape", ["array", "document", "lines"])
def test_white_space_before_the_beginning_may_be_of_any_length(
    white: str, shape: str, tmp_path: Path, run: Any, record: Any
) -> None:
    path = tmp_path / "some.json"
    bad = record(2, severity="awful")
    texts = {
        "array": json.dumps([record(1), bad]),
        "document": json.dumps(record(1), indent=1),
        "lines": _lines(record(1), bad),
    }
    count = MOST_ELEMENT // len(white) + 1000
    path.write_text(white * count + texts[shape], newline="")
    report = run(path)
    assert (report.outcome, report.added) == ("published", 1), report.error
    if shape == "lines":
        before = white.count("\n") * count
        assert report.rejections[0]["origin"] == f"{path}:{before + 2}"


@pytest.mark.parametrize("white", ["", " ", "\n\n", "\ufeff", "\ufeff \n"])
def test_nothing_but_white_space_is_an_empty_document(white: str, tmp_path: Path, run: Any) -> None:
    path = tmp_path / "some.json"
    path.write_text(white)
    report = run(path)
    assert (report.outcome, report.code) == ("refused", "not_json")
    assert "empty" in report.error


# --- packed or plain ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
@pytest.mark.parametrize("first", [1, 2, 3, 5])
def test_a_pipe_may_give_its_first_bytes_one_by_one(
    pack: Any, first: int, run: Any, record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pack(_lines(record(1), record(2)).encode())
    reader, writer = os.pipe()

    def write() -> None:
        with os.fdopen(writer, "wb", buffering=0) as pipe:
            for start in range(first):
                pipe.write(data[start : start + 1])
                gate.wait(0.05)  # so that what was written is read alone
            pipe.write(data[first:])

    gate = threading.Event()
    thread = threading.Thread(target=write)
    with os.fdopen(reader, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        thread.start()
        report = run("-")
    thread.join()
    assert (report.outcome, report.added) == ("published", 2), report.error


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("data", [b"", b"1", b"[1]", b'[1, "more than four"]'])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_reads_of_any_size_give_the_same_bytes(size: int, data: bytes, pack: Any) -> None:
    class Drop(io.RawIOBase):
        def __init__(self) -> None:
            self._inner = io.BytesIO(pack(data))

        def readable(self) -> bool:
            return True

        def read(self, wanted: int = -1, /) -> bytes:
            return self._inner.read(min(size, wanted) if wanted >= 0 else size)

    stream = wrap_stream(Drop(), "test")  # type: ignore[arg-type]
    assert stream.read_all(1000) == data


def _bomb(size: int) -> bytes:
    writer = zstandard.ZstdCompressor(level=1).compressobj()
    block = b"0" * 1024**2
    return b"".join([writer.compress(b"["), *(writer.compress(block) for _ in range(size // 1024**2)), writer.flush()])


def test_a_small_file_of_zstd_cannot_fill_the_memory() -> None:
    import tracemalloc

    packed = _bomb(1024**3)
    assert len(packed) < 64 * 1024
    stream = wrap_stream(io.BytesIO(packed), "bomb")
    tracemalloc.start()
    with pytest.raises(Refusal) as caught:
        all(iter(stream.read, b""))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert caught.value.code == "too_large"
    assert peak < 32 * 1024**2


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_zstd_frames_in_a_row_are_one_stream_and_a_cut_in_any_is_seen(frames: int) -> None:
    parts = [os.urandom(3000) + bytes(200_000) for _ in range(frames)]
    ends, packed = set(), b""
    for part in parts:
        packed += zstandard.compress(part)
        ends.add(len(packed))
    assert wrap_stream(io.BytesIO(packed), "test").read_all(10**9) == b"".join(parts)
    for cut in {*range(4, len(packed), 97), *(end + by for end in ends for by in (-4, -1, 1, 3))}:
        if cut in ends or cut >= len(packed):
            continue
        with pytest.raises(Refusal) as caught:
            wrap_stream(io.BytesIO(packed[:cut]), "test").read_all(10**9)
        assert caught.value.code == "truncated", cut
