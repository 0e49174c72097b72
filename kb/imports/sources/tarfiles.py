"""Reads tar archives as a stream: POSIX headers with pax and GNU long names, regular files and directories only.

The standard library's reader takes a damaged header in the middle for the end of the archive, and holds names and
headers of any size in memory. This one ends only at the mark of the end, and refuses what a dataset has no use for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kb.imports.refusals import Refusal

__all__ = ["BLOCK", "TarMember", "is_tar", "read_members"]

BLOCK = 512
_MOST_META = 256 * 1024
_REGULAR, _DIRECTORY = b"0\x007", b"5"
_BINARY = 0x80
_MOST_DIGITS = 18
_PAX, _PAX_GLOBAL, _LONG_NAME = b"x", b"g", b"L"
_NAMED = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"K": "a link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a pipe",
}


@dataclass(frozen=True, slots=True)
class TarMember:
    """A regular file of an archive; ``name`` as the archive writes it."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class _Header:
    name: bytes
    size: int
    kind: bytes


def is_tar(head: bytes) -> bool:
    """Whether the first 512 bytes are the header of a tar archive."""
    return len(head) >= BLOCK and any(head[:BLOCK]) and _sums_up(head[:BLOCK])


def read_members(read: Callable[[int], bytes], skip: Callable[[int], None], origin: str) -> Iterator[TarMember]:
    """The regular files of an archive in their order.

    ``read`` gives exactly as many bytes as it is asked for, fewer only at the end; the caller takes the ``size`` bytes
    of a member itself before it asks for the next. ``skip`` passes over padding. Raises ``Refusal``: unsafe_path for
    links, devices and the like, truncated, too_large for headers without end, unreadable for what is no header.
    """
    pax: dict[str, str] = {}
    long_name = b""
    while True:
        block = read(BLOCK)
        if not any(block) and len(block) == BLOCK:
            return
        header = _parse(block, origin)
        if header.kind in {_PAX, _PAX_GLOBAL, _LONG_NAME}:
            data = _meta(header, read, origin)
            skip(-header.size % BLOCK)
            if header.kind == _PAX:
                pax = _pax(data, origin)
            elif header.kind == _LONG_NAME:
                long_name = data.rstrip(b"\0")
            continue
        name = pax.get("path") or _text(long_name or header.name, origin)
        size = _size(pax, header, origin)
        pax, long_name = {}, b""
        if header.kind == _DIRECTORY:
            yield TarMember(name.rstrip("/") + "/", 0)
            continue
        _refuse_others(header.kind, name, origin)
        yield TarMember(name, size)
        skip(-size % BLOCK)


def _parse(block: bytes, origin: str) -> _Header:
    if len(block) < BLOCK:
        raise Refusal("truncated", origin, "the archive ends early")
    if not _sums_up(block):
        raise Refusal("unreadable", origin, "the archive is damaged: a header does not have its checksum")
    name, prefix = block[:100].split(b"\0")[0], block[345:500].split(b"\0")[0]
    if prefix and block[257:263] == b"ustar\0":
        name = prefix + b"/" + name
    size = _number(block[124:136])
    if size is None or size < 0:
        raise Refusal("unreadable", origin, "the archive is damaged: a header has no size")
    return _Header(name, size, block[156:157])


def _sums_up(block: bytes) -> bool:
    said = _number(block[148:156])
    return said == sum(block) - sum(block[148:156]) + 8 * ord(" ")


def _number(field: bytes) -> int | None:
    """Octal digits, or GNU's binary number for what is larger."""
    if field[0] == _BINARY:
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    if not digits or digits.strip(b"01234567"):
        return None
    return int(digits, 8)


def _meta(header: _Header, read: Callable[[int], bytes], origin: str) -> bytes:
    if header.size > _MOST_META:
        raise Refusal("too_large", origin, f"a header of the archive has more than {_MOST_META:,} bytes")
    data = read(header.size)
    if len(data) < header.size:
        raise Refusal("truncated", origin, "the archive ends early")
    return data


def _pax(data: bytes, origin: str) -> dict[str, str]:
    """The fields of an extended header: ``LENGTH KEY=VALUE`` and a line break, where the length counts all of it."""
    fields = {}
    at = 0
    while at < len(data):
        length, blank, _ = data[at : at + 20].partition(b" ")
        end = at + int(length) if length.isdigit() else 0
        record = data[at + len(length) + 1 : end]
        key, equals, value = record.removesuffix(b"\n").partition(b"=")
        if not blank or not equals or not at < end <= len(data):
            raise Refusal("unreadable", origin, "the archive is damaged: a header cannot be read")
        if key.startswith(b"GNU.sparse"):
            raise Refusal("unsafe_path", origin, "the archive holds a file with holes, which a dataset has no use for")
        fields[key.decode("ascii", "replace")] = (
            _text(value, origin) if key == b"path" else value.decode("utf-8", "replace")
        )
        at = end
    return fields


def _size(pax: dict[str, str], header: _Header, origin: str) -> int:
    said = pax.get("size")
    if said is None:
        return header.size
    if not (said.isascii() and said.isdigit() and len(said) <= _MOST_DIGITS):
        raise Refusal("unreadable", origin, "the archive is damaged: a header has no size")
    return int(said)


def _text(name: bytes, origin: str) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise Refusal("unsafe_path", origin, f"{name[:200]!r} is not a name in UTF-8") from error


def _refuse_others(kind: bytes, name: str, origin: str) -> None:
    if kind not in _REGULAR or not kind:
        what = _NAMED.get(kind, "something else than a file")
        raise Refusal("unsafe_path", origin, f"{name[:200]!r} in the archive is {what}, which a dataset has no use for")
