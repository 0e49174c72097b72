"""Datasets behind addresses: which may be fetched from, how much is sent again, and what stays when it fails."""

from __future__ import annotations

import gzip
import ipaddress
import json
import socket
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from kb.imports.refusals import Canceled, Refusal
from kb.imports.sources.addresses import FetchRules, find_hosts, parse_address, redirected
from kb.imports.sources.opening import open_source, shown_source

# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "url", "shown"),
    [
        ("https://Example.org", "https://example.org/", "https://example.org/"),
        ("https://example.org:443/data", "https://example.org/data", "https://example.org/data"),
        ("https://example.org:8443/a b", None, None),
        (
            "https://example.org/ä?key=secret#part",
            "https://example.org/%C3%A4?key=secret",
            "https://example.org/%C3%A4",
        ),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("http://[::1]:8000/x", "http://[::1]:8000/x", "http://[::1]:8000/x"),
        ("https://user:password@example.org/", None, None),
        ("https://example.org:0/", None, None),
        ("https://example.org:99999/", None, None),
        ("https:///data", None, None),
        ("https://exa mple.org/", None, None),
        ("https://example.org/\r\nHost: other", None, None),
        ("https://example.org\\@other.org/", None, None),
        ("ftp://example.org/", None, None),
        ("file:///etc/passwd", None, None),
        ("https://" + "a" * 3000 + ".org/", None, None),
        ("https://[fe80::1%25eth0]/", None, None),
    ],
)
def test_an_address_is_read_or_refused(text: str, url: str | None, shown: str | None) -> None:
    if url is None:
        with pytest.raises(Refusal) as caught:
            parse_address(text)
        assert caught.value.code == "unsafe_address"
        assert "password" not in str(caught.value)
        assert "password" not in shown_source(text)
        return
    address = parse_address(text)
    assert (address.url, address.shown) == (url, shown)
    assert parse_address(address.url) == address
    assert shown_source(text) == shown


PRIVATE = [
    "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1", "::", "::1", "fe80::1", "fc00::1", "ff02::1",
    "::ffff:10.0.0.1", "::ffff:127.0.0.1", "2002:0a00:0001::", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2001:db8::1",
    "2001:0:4136:e378:8000:63bf:f5ff:fffe",
]  # fmt: skip
PUBLIC = ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:0101:0101::"]


def _at(host: str) -> str:
    return f"https://[{host}]/" if ":" in host else f"https://{host}/"


@pytest.mark.parametrize("host", PRIVATE)
@pytest.mark.parametrize("named", [False, True])
def test_a_private_address_is_refused(host: str, named: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    address = parse_address("https://example.org/" if named else _at(host))
    answer = [(0, 0, 0, "", ("1.1.1.1", 443)), (0, 0, 0, "", (host, 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer)
    with pytest.raises(Refusal) as caught:
        find_hosts(address, FetchRules(), loopback=False)
    assert caught.value.code == "unsafe_address"
    assert find_hosts(address, FetchRules(private=True), loopback=False)


@pytest.mark.parametrize("host", PUBLIC)
def test_a_public_address_is_taken_as_it_was_checked(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answering(*arguments: Any, **_: Any) -> Any:
        asked.append(arguments)
        return [(0, 0, 0, "", (host, 443))]

    monkeypatch.setattr(socket, "getaddrinfo", answering)
    assert find_hosts(parse_address("https://example.org/"), FetchRules(), loopback=False) == [
        str(ipaddress.ip_address(host))
    ]
    assert len(asked) == 1


def test_this_machine_is_fetched_from_only_when_it_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    here = parse_address("http://127.0.0.1:8000/")
    assert find_hosts(here, FetchRules(), loopback=True) == ["127.0.0.1"]
    for rules in (FetchRules(), FetchRules(plain_http=True)):
        with pytest.raises(Refusal):
            find_hosts(here, rules, loopback=False)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("127.0.0.1", 443))])
    with pytest.raises(Refusal):  # a name that leads here did not say so
        find_hosts(parse_address("https://example.org/"), FetchRules(), loopback=True)


def test_plain_http_needs_to_be_allowed() -> None:
    away = parse_address("http://1.1.1.1/")
    with pytest.raises(Refusal) as caught:
        find_hosts(away, FetchRules(), loopback=False)
    assert "KB_FETCH_HTTP" in caught.value.message
    assert find_hosts(away, FetchRules(plain_http=True), loopback=False) == ["1.1.1.1"]


def test_a_redirect_keeps_the_encryption() -> None:
    address = parse_address("https://example.org/data/manifest.json")
    assert redirected(address, "../x?y").url == "https://example.org/x?y"
    assert redirected(address, "//other.org/").url == "https://other.org/"
    with pytest.raises(Refusal):
        redirected(address, "http://example.org/")


# --- a layout ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def spool(settings: Any, tmp_path: Path) -> Path:
    settings.KB_DATA_DIR = tmp_path / "own"
    return tmp_path / "own" / "spool"


def read(name: str) -> tuple[int, dict[str, Any]]:
    """How many documents a source yields, and what is remembered of it."""
    source = open_source(name)
    try:
        return len(list(source.read())), source.memory()
    finally:
        source.close()


def unchanged(name: str, memory: dict[str, Any]) -> bool:
    source = open_source(name)
    try:
        return source.unchanged(memory)
    finally:
        source.close()


def test_a_layout_is_imported_from_its_address(
    datasets: Path, serve: Any, run: Any, catalog_records: Any, spool: Path
) -> None:
    run(datasets / "starter", dataset="starter")
    before = catalog_records()
    server = serve(datasets / "starter")
    report = run(server.url, dataset="starter", force=True)
    assert (report.outcome, report.unchanged) == ("unchanged", len(before)), report.error
    assert server.busiest <= 4
    server.requests.clear()
    again = run(server.url, dataset="starter")
    assert (again.outcome, again.unchanged) == ("unchanged", len(before))
    assert [path for path, _ in server.requests] == ["manifest.json"]
    assert "If-None-Match" in server.requests[0][1]
    assert [path for path in spool.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("end", ["", "manifest.json"])
@pytest.mark.parametrize("nested", [False, True])
def test_the_base_may_be_named_in_several_ways(
    end: str, nested: bool, layout: Any, record: Any, serve: Any, spool: Path
) -> None:
    directory = layout([record(1), record(1, repo="é/ü+~")])
    if nested and not end:
        (directory.parent / "site").mkdir()
        directory = directory.rename(directory.parent / "site" / "data").parent
    assert read(serve(directory).url + end)[0] == 4


def test_files_that_are_there_are_not_fetched_again(
    layout: Any, record: Any, serve: Any, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repos = [f"acme/r{number}" for number in range(9)]
    server = serve(layout([record(1, repo=repo) for repo in repos]))

    def fail(handler: Any) -> None:
        handler.send_response(503)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    server.answers["repos/acme/r8.json"] = fail
    with pytest.raises(Refusal) as caught:
        read(server.url)
    assert (caught.value.code, "503" in caught.value.message) == ("unreachable", True)
    assert len(server.asked("repos/acme/r8.json")) == 4
    kept = len(list(spool.rglob("*.json")))
    assert kept
    server.answers.clear()
    server.requests.clear()
    assert read(server.url)[0] == 18
    assert sum(path.startswith("repos/") for path, _ in server.requests) <= 10 - (kept - 2)
    assert list(spool.rglob("*.json")) == []


def test_a_part_is_continued_and_not_begun_again(layout: Any, record: Any, serve: Any, spool: Path) -> None:
    server = serve(layout([record(number) for number in range(1, 90)]))
    path = "repos/acme/rockets.json"
    size = (server.directory / path).stat().st_size
    sent = []

    def half(handler: Any) -> None:
        if len(sent) < 2:
            real = handler.wfile.write

            def write(data: bytes) -> int:
                sent.append(len(data))
                handler.close_connection = True
                return real(data[: len(data) // 2])

            handler.send_file_with(write)
            return
        handler.send_file(handler)

    server.answers[path] = half
    assert read(server.url)[0] == 90
    asked = server.asked(path)
    assert len(asked) == 3
    assert [headers.get("Range") for headers in asked] == [
        None, f"bytes={size // 2}-", f"bytes={size // 2 + (size - size // 2) // 2}-",
    ]  # fmt: skip


def test_a_part_of_another_version_is_begun_again(layout: Any, record: Any, serve: Any, spool: Path) -> None:
    directory = layout([record(number) for number in range(1, 90)])
    server = serve(directory)
    path = "repos/acme/rockets.json"

    def replaced(handler: Any) -> None:
        server.answers.clear()
        handler.send_file_with(lambda data: handler.connection.sendall(data[:500]))
        handler.close_connection = True
        rows = json.loads((directory / path).read_text())
        (directory / path).write_text(json.dumps([{**row, "severity": "info"} for row in rows]))

    server.answers[path] = replaced
    source = open_source(server.url)
    rows = [item.raw for item in source.read() if type(item).__name__ == "RawRecord"]
    source.close()
    assert len(rows) == 89
    assert all(b'"severity": "info"' in raw for raw in rows)


def test_a_canceled_download_stops_and_is_continued(layout: Any, record: Any, serve: Any, spool: Path) -> None:
    server = serve(layout([record(1, repo=f"acme/r{number}") for number in range(20)]))

    class Canceling:
        def phase(self, name: str, total: int | None = None) -> None:
            pass

        def advance(self, count: int) -> None:
            assert count == 1
            raise Canceled

    source = open_source(server.url)
    with pytest.raises(Canceled):
        source.prepare(Canceling())
    source.close()
    assert list(spool.rglob("*.json"))
    assert threading.active_count() < 30
    assert read(server.url)[0] == 40


def test_two_do_not_fetch_the_same_at_once(layout: Any, record: Any, serve: Any, spool: Path) -> None:
    server = serve(layout([record(1)]))
    first, second = open_source(server.url), open_source(server.url)
    next(iter(first.read()))
    with pytest.raises(Refusal) as caught:
        list(second.read())
    second.close()
    first.close()
    assert caught.value.code == "locked"
    assert read(server.url)[0] == 2


def test_what_is_wrong_is_not_kept(layout: Any, record: Any, serve: Any, spool: Path) -> None:
    directory = layout([record(1)])
    good = (directory / "repos.json").read_bytes()
    (directory / "repos.json").write_bytes(good.replace(b"acme", b"ACME"))
    server = serve(directory)
    with pytest.raises(Refusal):
        read(server.url)
    (directory / "repos.json").write_bytes(good)
    assert read(server.url)[0] == 2


def test_the_environment_names_no_proxy(
    layout: Any, record: Any, serve: Any, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert read(serve(layout([record(1)])).url)[0] == 2


def test_a_proxy_of_the_settings_is_used(layout: Any, record: Any, serve: Any, spool: Path, settings: Any) -> None:
    server = serve(layout([record(1)]))
    settings.KB_FETCH_PROXY, settings.KB_FETCH_HTTP = server.url.rstrip("/"), True
    for name in ("manifest.json", "repos.json", "repos/acme/rockets.json"):
        server.answers[f"http://data.example/{name}"] = server.sender(name)
    assert read("http://data.example/")[0] == 2
    assert {headers["Host"] for _, headers in server.requests} == {"data.example"}
    with pytest.raises(Refusal):
        read("http://10.0.0.1/")


# --- one file ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["some.jsonl", "some.jsonl.gz", "some.json"])
def test_a_file_is_imported_from_its_address(
    name: str, record: Any, serve: Any, run: Any, tmp_path: Path, spool: Path
) -> None:
    directory = tmp_path / "served"
    directory.mkdir()
    lines = [json.dumps(record(1)), json.dumps(record(2, severity="awful"))]
    text = f"[{','.join(lines)}]" if name == "some.json" else "\n".join(lines)
    data = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
    (directory / name).write_bytes(data)
    server = serve(directory)
    report = run(f"{server.url}{name}?token=secret")
    assert (report.added, report.rejected) == (1, 1), report.error
    assert report.rejections[0]["origin"].startswith(f"{server.url}{name}")
    assert "secret" not in json.dumps(report.as_json())
    server.requests.clear()
    assert run(f"{server.url}{name}?token=secret").outcome == "unchanged"
    assert len(server.requests) == 1
    server.requests.clear()
    (directory / name).write_text(json.dumps(record(3)))
    assert run(f"{server.url}{name}?token=secret").added == 1
    assert len(server.requests) == 1


def test_an_archive_is_complete_from_its_address(
    layout: Any, record: Any, serve: Any, tmp_path: Path, spool: Path
) -> None:
    directory = tmp_path / "served"
    directory.mkdir()
    (directory / "some.tar.gz").write_bytes(_tar_gz(layout([record(1)])))
    source = open_source(f"{serve(directory).url}some.tar.gz")
    assert source.complete
    assert len(list(source.read())) == 2
    assert source.complete
    source.close()


def _tar_gz(directory: Path) -> bytes:
    return subprocess.run(["tar", "-cz", "-C", str(directory), "."], check=True, capture_output=True).stdout


# --- encryption -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for ``localhost`` and ``data.example``, and no address, which is its own authority."""
    path = tmp_path_factory.mktemp("tls")
    command = [
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost,DNS:data.example",
        "-keyout", path / "key.pem", "-out", path / "cert.pem",
    ]  # fmt: skip
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return path


def test_the_certificate_must_be_good_and_name_the_host(
    layout: Any, record: Any, serve: Any, spool: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(layout([record(1)]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with pytest.raises(Refusal) as caught:
        read(f"https://localhost:{server.server_port}/")
    assert (caught.value.code, "certificate" in caught.value.message) == ("unsafe_address", True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    assert read(f"https://localhost:{server.server_port}/")[0] == 2
    with pytest.raises(Refusal) as caught:
        read(f"https://127.0.0.1:{server.server_port}/")
    assert caught.value.code == "unsafe_address"


def _tunnel(target: int) -> socket.socket:
    """A proxy that lets through to one port of this machine, whatever it is asked for."""
    listening = socket.create_server(("127.0.0.1", 0))

    def pump(source: socket.socket, sink: socket.socket) -> None:
        with source, sink:
            while data := source.recv(65536):
                sink.sendall(data)

    def accept() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(1000)
            assert head.startswith(b"CONNECT data.example:443 ")
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            server = socket.create_connection(("127.0.0.1", target))
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=pump, args=(one.dup(), other.dup()), daemon=True).start()
            client.close()
            server.close()

    threading.Thread(target=accept, daemon=True).start()
    return listening


def test_a_proxy_sees_nothing_of_what_is_encrypted(
    layout: Any, record: Any, serve: Any, spool: Path, settings: Any, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(layout([record(1)]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    with _tunnel(server.server_port) as proxy:
        settings.KB_FETCH_PROXY = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        assert read("https://data.example/")[0] == 2
    assert {headers["Host"] for _, headers in server.requests} == {"data.example"}
