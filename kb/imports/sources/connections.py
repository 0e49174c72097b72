"""HTTP requests that end: bounded in time, in idle time, in bytes and in redirects, to checked addresses only."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from kb.imports.refusals import Refusal
from kb.imports.sources.addresses import Address, FetchRules, find_hosts, parse_address, redirected

__all__ = ["TRANSIENT", "Client", "Reply", "Session"]

TRANSIENT = (OSError, HTTPError, http.client.HTTPException)
MOST_REDIRECTS = 5
_CHUNK = 64 * 1024
_CONNECT = 10.0
_SLOW_AFTER, _SLOWEST = 60.0, 1024  # seconds, and bytes a second from then on
_REDIRECTS = {301, 302, 303, 307, 308}
_HEADERS = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "Faultbook"}


class Session:
    """What the requests for one source share: the rules, the time and the bytes that are left, and an end to all of it.

    A watching thread cuts the connection of a request that has had no byte of an answer for too long, whatever the
    server sends instead, and of every request once the session is stopped.
    """

    def __init__(self, rules: FetchRules, origin: Address) -> None:
        self.rules = rules
        self.origin = origin
        self._ends = time.monotonic() + rules.seconds
        self._left = rules.most_bytes
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._clients: list[Client] = []
        self._local = threading.local()
        self._watch = threading.Thread(target=self._watching, name="fetch-watch", daemon=True)

    def __enter__(self) -> Self:
        self._watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._watch.join()
        for client in self._clients:
            client.close()

    @property
    def client(self) -> Client:
        """The client of this thread."""
        client: Client | None = getattr(self._local, "client", None)
        if client is None:
            client = self._local.client = Client(self)
            with self._lock:
                self._clients.append(client)
        return client

    def stop(self) -> None:
        """Ends every request."""
        self._stopped.set()

    def rest(self, seconds: float) -> None:
        """Waits, but not beyond the end. Raises as :meth:`check` does."""
        self._stopped.wait(seconds)
        self.check()

    def check(self) -> None:
        """Raises ``Refusal`` ``unreachable`` when the time is up or the session was stopped."""
        if self._stopped.is_set():
            raise Refusal("unreachable", self.origin.shown, "the download was stopped")
        if time.monotonic() > self._ends:
            message = f"is not there after {self.rules.seconds / 60:,.0f} minutes (KB_FETCH_MINUTES)"
            raise Refusal("unreachable", self.origin.shown, message)

    def take(self, size: int) -> None:
        """Counts bytes that arrived. Raises ``Refusal`` ``too_large`` when they are too many."""
        self.check()
        with self._lock:
            self._left -= size
            if self._left < 0:
                most = self.rules.most_bytes / 1024**3
                raise Refusal("too_large", self.origin.shown, f"sends more than {most:,.2f} GiB (KB_FETCH_GIB)")

    def _watching(self) -> None:
        period = min(1.0, self.rules.idle / 4)
        while not self._stopped.wait(period) and time.monotonic() < self._ends:
            self._cut(time.monotonic() - self.rules.idle)
        self._cut(time.monotonic() + 1)

    def _cut(self, before: float) -> None:
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            client.cut(before)


class Reply:
    """An answer whose body is still to be read."""

    def __init__(self, client: Client, response: BaseHTTPResponse, address: Address) -> None:
        self._client = client
        self._response = response
        self.address = address
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers

    def chunks(self) -> Iterator[bytes]:
        """The body as it is sent, not unpacked. Raises ``Refusal``, or one of :data:`TRANSIENT`."""
        began, count = time.monotonic(), 0
        while chunk := self._response.read1(_CHUNK, decode_content=False):
            self._client.note_progress()
            self._client.session.take(len(chunk))
            count += len(chunk)
            yield chunk
            took = time.monotonic() - began
            if took > _SLOW_AFTER and count < took * _SLOWEST:
                raise Refusal("unreachable", self.address.shown, f"sends less than {_SLOWEST:,} bytes a second")
        self._client.note_progress()


class Client:
    """The requests of one thread, over one connection as long as the host stays the same."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._connection: HTTPConnection | None = None
        self._response: BaseHTTPResponse | None = None
        self._place: tuple[str, str, int] | None = None
        self._since = float("inf")
        self._was_cut = False

    @contextmanager
    def get(self, address: Address, headers: Mapping[str, str]) -> Iterator[Reply]:
        """The answer to a GET, after at most five redirects. Raises ``Refusal``, or one of :data:`TRANSIENT`."""
        following = address
        finished = False
        try:
            for _ in range(MOST_REDIRECTS + 1):
                response = self._send(following, headers, given=address)
                location = response.headers.get("Location")
                if response.status not in _REDIRECTS or not location:
                    yield Reply(self, response, following)
                    finished = response.closed and "close" not in response.headers.get("Connection", "").lower()
                    return
                self.close()
                following = redirected(following, location)
            raise Refusal("unsafe_address", address.shown, f"redirects more than {MOST_REDIRECTS} times")
        finally:
            self._since = float("inf")
            if not finished:
                self.close()

    def note_progress(self) -> None:
        """Something useful arrived. Raises ``TimeoutError`` when the connection was cut: what is cut in the middle of
        its header looks whole.
        """
        if self._was_cut:
            raise TimeoutError
        self._since = time.monotonic()

    def cut(self, before: float) -> None:
        """Ends the request that has waited since before that time; called by another thread."""
        sock = self._connection.sock if self._connection else None
        if self._since < before and sock is not None:
            self._was_cut = True
            with suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)

    def close(self) -> None:
        """Closes the connection."""
        for open_one in (self._response, self._connection):
            if open_one is not None:
                with suppress(*TRANSIENT):
                    open_one.close()
        self._connection = self._place = self._response = None
        self._was_cut = False

    # -- connecting ------------------------------------------------------------------------------------------------

    def _send(self, address: Address, headers: Mapping[str, str], *, given: Address) -> BaseHTTPResponse:
        self.session.check()
        self.note_progress()
        try:
            connection = self._connected(address)
            proxied = bool(self.session.rules.proxy) and address.scheme == "http"
            target = address.url if proxied else address.target
            sent = {**_HEADERS, "Host": address.authority, **headers}
            connection.request("GET", target, headers=sent, preload_content=False, decode_content=False)
            response = self._response = connection.getresponse()
        except ssl.SSLCertVerificationError as error:
            message = f"the certificate of {address.host} is not good: {error.verify_message}"
            raise Refusal("unsafe_address", address.shown, message) from error
        except Refusal as refusal:
            if address == given:
                raise
            raise Refusal(refusal.code, given.shown, f"redirects to {refusal.origin}: {refusal.message}") from refusal
        self.note_progress()
        return response

    def _connected(self, address: Address) -> HTTPConnection:
        place = (address.scheme, address.host, address.port)
        if self._connection is not None and self._place == place:
            return self._connection
        self.close()
        if self.session.rules.proxy:
            self._connection = self._by_proxy(address)
        else:
            self._connection = self._directly(address)
        self._place = place
        return self._connection

    def _directly(self, address: Address) -> HTTPConnection:
        hosts = find_hosts(address, self.session.rules, loopback=self.session.origin.is_loopback)
        for host in hosts[:-1]:
            with suppress(*TRANSIENT):
                return self._open(address, host, address.port)
        return self._open(address, hosts[-1], address.port)

    def _by_proxy(self, address: Address) -> HTTPConnection:
        """Through the proxy of the settings, which is the one that resolves names. What is visibly not allowed is
        refused here all the same.
        """
        rules = self.session.rules
        proxy = parse_address(rules.proxy)
        if address.scheme == "http" and not rules.plain_http:
            raise Refusal("unsafe_address", address.shown, "plain http is not fetched (KB_FETCH_HTTP allows it)")
        if address.host.replace(".", "").isdigit() or ":" in address.host or address.is_loopback:
            find_hosts(address, rules, loopback=False)
        return self._open(address, proxy.host, proxy.port, tunnel=address.scheme == "https")

    def _open(self, address: Address, host: str, port: int, *, tunnel: bool = False) -> HTTPConnection:
        connection: HTTPConnection
        if address.scheme == "https":
            connection = HTTPSConnection(
                host, port, timeout=_CONNECT, ssl_context=ssl.create_default_context(), server_hostname=address.host
            )
            if tunnel:
                connection.set_tunnel(address.host, address.port, scheme="http")
        else:
            connection = HTTPConnection(host, port, timeout=_CONNECT)
        connection.connect()
        connection.timeout = self.session.rules.idle
        if connection.sock is not None:
            connection.sock.settimeout(self.session.rules.idle)
        return connection
