"""Archives and servers that mean harm are refused clearly, in bounded time and memory, and change nothing."""

from __future__ import annotations

import gzip
import io
import json
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MANIFEST = (
    b'{"schemaVersion": 2, "datasetVersion": "2026-01-01T00:00:00Z", "counts": {"repos": 0, "errors": 0}, "files": {}}'
)
Entry = tuple[tarfile.TarInfo, bytes]


def entry(name: str, data: bytes = b"[]", **fields: Any) -> Entry:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, data


def tar(*entries: Entry, shape: int = tarfile.PAX_FORMAT) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=shape) as archive:
        for info, data in [entry("manifest.json", MANIFEST), entry("repos.json"), *entries]:
            archive.addfile(info, io.BytesIO(data) if info.size else None)
    return made.getvalue()


def link(kind: bytes, name: str = "repos/a/b.json", target: str = "/etc/passwd") -> Entry:
    return entry(name, b"", type=kind, linkname=target)


HOSTILE_TARS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a symbolic link": (lambda: tar(link(tarfile.SYMTYPE)), "unsafe_path"),
    "a link to a directory": (lambda: tar(link(tarfile.SYMTYPE, "repos", "/etc")), "unsafe_path"),
    "a hard link": (lambda: tar(link(tarfile.LNKTYPE, target="manifest.json")), "unsafe_path"),
    "a long link": (lambda: tar(link(tarfile.SYMTYPE, target="x" * 500), shape=tarfile.GNU_FORMAT), "unsafe_path"),
    "a device": (lambda: tar(link(tarfile.CHRTYPE)), "unsafe_path"),
    "a pipe": (lambda: tar(link(tarfile.FIFOTYPE)), "unsafe_path"),
    "upwards": (lambda: tar(entry("../x.json")), "unsafe_path"),
    "upwards inside": (lambda: tar(entry("repos/../../x.json")), "unsafe_path"),
    "upwards by a directory": (lambda: tar(entry("repos/../..", b"", type=tarfile.DIRTYPE)), "unsafe_path"),
    "upwards with a long name": (lambda: tar(entry("../" + "x" * 300)), "unsafe_path"),
    "upwards with a long name of GNU": (lambda: tar(entry("../" + "x" * 300), shape=tarfile.GNU_FORMAT), "unsafe_path"),
    "absolute": (lambda: tar(entry("/etc/cron.d/x")), "unsafe_path"),
    "a drive": (lambda: tar(entry("C:/x.json")), "unsafe_path"),
    "backslashes": (lambda: tar(entry("repos\\..\\x.json")), "unsafe_path"),
    "control characters": (lambda: tar(entry("repos/a/\x1b[2Jb.json")), "unsafe_path"),
    "no UTF-8": (lambda: tar(entry("repos/a/b\udcff.json"), shape=tarfile.GNU_FORMAT), "unsafe_path"),
    "the same twice": (lambda: tar(entry("repos/a/b.json"), entry("./repos/a/b.json")), "unsafe_path"),
    "names that differ in case": (lambda: tar(entry("repos/a/b.json"), entry("repos/A/b.json")), "unsafe_path"),
    "letters that fold alike": (lambda: tar(entry("repos/a/ﬁ.json"), entry("repos/a/fi.json")), "unsafe_path"),
    "a file with holes": (lambda: tar(entry("x", pax_headers={"GNU.sparse.map": "0,9"})), "unsafe_path"),
    "an old file with holes": (lambda: tar(entry("x", type=tarfile.GNUTYPE_SPARSE)), "unsafe_path"),
    "a header without end": (lambda: tar(entry("x", pax_headers={"comment": "c" * 10**6})), "too_large"),
    "a name without end": (lambda: tar(entry("n" * 10**6), shape=tarfile.GNU_FORMAT), "too_large"),
    "a size that is none": (lambda: tar(entry("x", pax_headers={"size": "-5"})), "unreadable"),
    "cut off": (lambda: tar(entry("x", b"y" * 9000))[:4000], "truncated"),
    "cut off at a header": (lambda: tar()[:2048], "truncated"),
    "a damaged header": (lambda: tar(entry("x")).replace(b"x\0\0\0\0", b"y\0\0\0\0", 1), "unreadable"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_TARS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_tar_is_refused_with(name: str, pack: Any, tmp_path: Path, refusal: Any) -> None:
    make, code = HOSTILE_TARS[name]
    path = tmp_path / "some.tar"
    path.write_bytes(pack(make()))
    assert refusal(path).code == code
    assert sorted(tmp_path.iterdir()) == [path]


def packed(*entries: tuple[zipfile.ZipInfo | str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in [("manifest.json", MANIFEST), ("repos.json", b"[]"), *entries]:
            archive.writestr(name, data)
    return made.getvalue()


def special(kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("repos/a/b.json")
    info.external_attr = (kind | 0o777) << 16
    return info


def encrypted() -> bytes:
    data = bytearray(packed(("x", b"y")))
    for at in (data.rindex(b"PK\x03\x04") + 6, data.rindex(b"PK\x01\x02") + 8):
        data[at] |= 1
    return bytes(data)


def of_size(size: int) -> bytes:
    """An archive whose list says another size of its last file than it has."""
    data = bytearray(packed(("repos/a/b.json", b"[" + b" " * 1000 + b"]")))
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<I", size)
    return bytes(data)


HOSTILE_ZIPS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a symbolic link": (lambda: packed((special(stat.S_IFLNK), b"/etc/passwd")), "unsafe_path"),
    "a device": (lambda: packed((special(stat.S_IFCHR), b"")), "unsafe_path"),
    "upwards": (lambda: packed(("repos/../../x.json", b"")), "unsafe_path"),
    "absolute": (lambda: packed(("/etc/cron.d/x", b"")), "unsafe_path"),
    "backslashes": (lambda: packed(("..\\x.json", b"")), "unsafe_path"),
    "names that differ in case": (lambda: packed(("repos/a/b.json", b""), ("repos/a/B.json", b"")), "unsafe_path"),
    "encrypted": (encrypted, "unreadable"),
    "a method of large windows": (lambda: packed(("x", b"y"), method=zipfile.ZIP_LZMA), "unreadable"),
    "a bomb": (lambda: packed(("x", bytes(80 * 1024**2))), "too_large"),
    "a size of 10 GB": (lambda: of_size(2**32 - 2), "too_large"),
    "cut off": (lambda: packed(("x", b"y"))[:-8], "unreadable"),
    "no listing": (lambda: packed(("x", b"y")).replace(b"PK\x01\x02", b"PK\x09\x09"), "unreadable"),
}


@pytest.mark.parametrize("name", HOSTILE_ZIPS)
def test_a_zip_is_refused_with(name: str, tmp_path: Path, refusal: Any) -> None:
    make, code = HOSTILE_ZIPS[name]
    path = tmp_path / "some.zip"
    path.write_bytes(make())
    assert refusal(path).code == code
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("size", [0, 5, 2000])
def test_a_size_that_is_a_lie_is_found(size: int, tmp_path: Path, refusal: Any) -> None:
    path = tmp_path / "some.zip"
    path.write_bytes(of_size(size))
    assert refusal(path).code in {"truncated", "unreadable", "count_mismatch", "not_json"}


def test_a_packed_bomb_is_refused_in_little_memory(tmp_path: Path, refusal: Any, soak: bool) -> None:
    path = tmp_path / "zeros.tar.gz"
    size = 10 * 1024**3 if soak else 160 * 1024**2
    head = tar(entry("x", b""))[:-10240]
    info = tarfile.TarInfo("zeros.json")
    info.size = size
    with gzip.open(path, "wb") as file:
        file.write(head.rstrip(b"\0").ljust(-(-len(head.rstrip(b"\0")) // 512) * 512, b"\0"))
        file.write(info.tobuf())
        for _ in range(size // 1024**2):
            file.write(bytes(1024**2))
    tracemalloc.start()
    code = refusal(path).code
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert code == "too_large"
    assert peak < 64 * 1024**2


def test_too_many_files(tmp_path: Path, refusal: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.imports.sources import archives

    monkeypatch.setattr(archives, "MOST_ENTRIES", 50)
    files = [f"repos/a/{number}.json" for number in range(60)]
    for data in (tar(*map(entry, files)), packed(*((name, b"[]") for name in files))):
        (tmp_path / "many").write_bytes(data)
        assert refusal(tmp_path / "many").code == "too_large"


def test_a_disk_that_is_nearly_full(tmp_path: Path, refusal: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.imports.sources import spool

    monkeypatch.setattr(spool, "_FREE", 2**60)
    (tmp_path / "some.tar.gz").write_bytes(gzip.compress(tar(entry("x", b"y" * 2000))))
    assert refusal(tmp_path / "some.tar.gz").code == "no_space"


def test_names_of_a_directory_that_differ_in_case_are_refused(layout: Any, record: Any, run: Any, stored: Any) -> None:
    before = stored()
    report = run(layout([record(1), record(1, repo="Acme/rockets")]))
    assert (report.outcome, report.code) == ("refused", "unsafe_path")
    assert "Acme/rockets" in report.error
    assert stored() == before


# --- servers ----------------------------------------------------------------------------------------------------------


def answer(*, status: int = 200, body: bytes = b"", **headers: str) -> Callable[[Any], None]:
    def answering(handler: Any) -> None:
        handler.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answering


def redirect(where: str) -> Callable[[Any], None]:
    return answer(status=302, Location=where)


def endless(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    while not handler.server.over.is_set():
        handler.wfile.write(b" " * 1024**2)


def silent(handler: Any) -> None:
    handler.server.over.wait(30)


def stalls(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b"[")
    handler.server.over.wait(30)


def drips(handler: Any) -> None:
    """A header that never ends, a byte at a time."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.server.over.wait(0.2):
        handler.wfile.write(b"x")


HOSTILE_ANSWERS: dict[str, tuple[Callable[[Any], None], str]] = {
    "a redirect to the metadata of a cloud": (redirect("http://169.254.169.254/latest/meta-data/"), "unsafe_address"),
    "a redirect to a private address": (redirect("https://10.1.2.3/"), "unsafe_address"),
    "a redirect to a mapped address": (redirect("https://[::ffff:192.168.0.1]/"), "unsafe_address"),
    "a redirect to a file": (redirect("file:///etc/passwd"), "unsafe_address"),
    "a redirect with a password": (redirect("https://a:b@example.org/"), "unsafe_address"),
    "a redirect to itself": (redirect("?again"), "unsafe_address"),
    "a redirect to nonsense": (redirect("https://[/"), "unsafe_address"),
    "silence": (silent, "unreachable"),
    "a stall": (stalls, "unreachable"),
    "a header without end": (drips, "unreachable"),
    "a length that is a lie": (answer(body=b"[]", Content_Length="50"), "unreachable"),
    "a length of 10 GB": (answer(body=b"[]", Content_Length=str(10 * 1024**3)), "too_large"),
    "10 GB": (endless, "too_large"),
    "an error of the server": (answer(status=503), "unreachable"),
    "nothing": (answer(status=404), "missing_file"),
    "a refusal": (answer(status=403), "unreadable"),
    "a part that was not asked for": (answer(status=206, body=b"[]", Content_Range="bytes 5-6/7"), "unreachable"),
}


@pytest.mark.parametrize("name", HOSTILE_ANSWERS)
@pytest.mark.parametrize("victim", ["repos.json", "repos/acme/rockets.json"])
def test_a_server_is_refused_that_answers_with(
    name: str, victim: str, layout: Any, record: Any, serve: Any, refusal: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports.sources import downloads, mirror

    monkeypatch.setattr(mirror, "_MOST_FILE", 8 * 1024**2)
    monkeypatch.setattr(mirror, "_MOST", {"manifest.json": 10**6, "repos.json": 8 * 1024**2})
    monkeypatch.setattr(downloads, "ATTEMPTS", 2)
    server = serve(layout([record(1)], files={}))
    server.answers[victim], code = HOSTILE_ANSWERS[name]
    began = time.process_time()
    found = refusal(server.url)
    assert found.code == code, found
    assert "127.0.0.1" in str(found)
    assert time.process_time() - began < 20
    server.over.set()


def test_a_dataset_that_is_always_another_one_is_refused(
    layout: Any, record: Any, serve: Any, run: Any, stored: Any
) -> None:
    directory = layout([record(1)], files={})
    server = serve(directory)
    text = json.loads((directory / "manifest.json").read_text())
    count = 0

    def another(handler: Any) -> None:
        nonlocal count
        count += 1
        answer(body=json.dumps({**text, "note": count}).encode())(handler)

    server.answers["manifest.json"] = another
    before = stored()
    report = run(server.url)
    assert (report.outcome, report.code) == ("refused", "vanished")
    assert count <= 5
    assert stored() == before


def test_a_dataset_that_was_replaced_meanwhile_is_fetched_again(
    layout: Any, record: Any, serve: Any, run: Any, catalog_records: Any
) -> None:
    server = serve(layout([record(1), record(2)], files={}))
    newer = layout([record(1, severity="info"), record(3)], files={}, version="2026-02-02T00:00:00.000Z")

    def swap(handler: Any) -> None:
        handler.send_file(handler)
        server.directory = newer

    server.answers["repos/acme/rockets.json"] = swap
    report = run(server.url)
    assert (report.outcome, report.dataset_version, report.added) == ("published", "2026-02-02T00:00:00.000Z", 2)
    assert set(catalog_records()) == {record(1)["id"], record(3)["id"]}
    assert len(server.asked("repos/acme/rockets.json")) == 2


def test_what_all_files_have_together_is_bounded(
    layout: Any, record: Any, serve: Any, refusal: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports.sources.addresses import FetchRules

    server = serve(layout([record(number) for number in range(1, 9)]))
    monkeypatch.setattr(FetchRules, "from_settings", lambda: FetchRules(most_bytes=5000, idle=1))
    found = refusal(server.url)
    assert (found.code, "KB_FETCH_GIB" in found.message) == ("too_large", True)


def test_the_whole_time_is_bounded(
    layout: Any, record: Any, serve: Any, refusal: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.imports.sources.addresses import FetchRules

    server = serve(layout([record(1)]))

    def slow(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        while not server.over.wait(0.05):
            handler.wfile.write(b" " * 100)

    server.answers["repos/acme/rockets.json"] = slow
    monkeypatch.setattr(FetchRules, "from_settings", lambda: FetchRules(seconds=1, idle=30))
    assert refusal(server.url).code == "unreachable"
