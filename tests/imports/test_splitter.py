"""Cutting JSON as it streams by."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.imports.refusals import Refusal
from kb.imports.sources import splitter
from kb.imports.sources.splitter import Oversized, split_array, split_lines
from kb.imports.sources.streams import ByteStream

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module", autouse=True, params=["whole", "in parts"])
def _way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Small documents are cut as a whole, large ones in parts; both give the same."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "in parts":
            patch.setattr(splitter, "_SMALL", -1)
        yield


class Dripping(io.BytesIO):
    """Gives at most a few bytes at a time, so that every place can be the end of a chunk."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(self._size, size if size and size > 0 else self._size))


def stream(data: bytes, size: int = 7) -> ByteStream:
    return ByteStream(Dripping(data, size), None, "test")


@given(st.lists(JSON, max_size=6), st.integers(1, 9), st.sampled_from([None, 1]), st.booleans())
def test_cuts_every_array_as_a_json_parser_does(
    values: list[Any], size: int, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert [json.loads(raw) for _, raw in split_array(stream(text, size))] == values


@given(st.lists(JSON, min_size=1, max_size=4), st.data())
def test_refuses_every_array_that_stops_early(values: list[Any], data: st.DataObject) -> None:
    text = json.dumps(values).encode()
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(Refusal) as caught:
        list(split_array(stream(text[:cut])))
    assert caught.value.code == "not_json"


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]]", b"[1] x", b"[1", b'["a]', b"nonsense", b'[{"a": [}', b"1"])
@pytest.mark.parametrize("size", [1, 3, 100])
def test_refuses_what_is_no_array(text: bytes, size: int) -> None:
    with pytest.raises(Refusal):
        list(split_array(stream(text, size)))


@pytest.mark.parametrize("size", [1, 2, 50])
def test_a_comma_too_many_leaves_an_empty_element_for_the_decoder(size: int) -> None:
    assert [raw for _, raw in split_array(stream(b"[1,2,]", size))] == [b"1", b"2", b""]


def test_an_element_over_the_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splitter, "MOST_ELEMENT", 100)
    with pytest.raises(Refusal) as caught:
        list(split_array(stream(b'["' + b"x" * 500 + b'"]')))
    assert caught.value.code == "too_large"


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line), max_size=8), st.integers(1, 9))
def test_numbers_lines_as_an_editor_does(lines: list[bytes], size: int) -> None:
    found = dict(split_lines(stream(b"\n".join(lines), size)))
    expected = {number: line for number, line in enumerate(lines, 1) if line.strip()}
    assert {n: line for n, line in found.items() if isinstance(line, bytes)} == expected


def test_passes_over_a_line_over_the_bound_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splitter, "MOST_ELEMENT", 100)
    found = list(split_lines(stream(b"first\n" + b"x" * 1000 + b"\nlast\n", 33)))
    assert [(number, line if isinstance(line, bytes) else line.size) for number, line in found] == [
        (1, b"first"),
        (2, 1000),
        (3, b"last"),
    ]
    assert isinstance(found[1][1], Oversized)
