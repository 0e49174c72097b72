"""Which addresses are fetched from: their form, and where their hosts are.

A host is resolved once, every address that it has is checked, and the connection is then made to one of those, so that
a second answer of the name server cannot lead elsewhere.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urljoin, urlsplit

from django.conf import settings

from kb.imports.refusals import Refusal

__all__ = ["Address", "FetchRules", "find_hosts", "is_address", "parse_address", "redirected"]

_PORTS = {"http": 80, "https": 443}
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\<>\"^`{|}]")
_KEPT = "/%:@!$&'()*+,;=~-._?"  # what is written as it is in a path and a query
_LONGEST = 2000
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_SHARED = ipaddress.ip_network("100.64.0.0/10")

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, kw_only=True)
class FetchRules:
    """What an operator allows, see ``KB_FETCH_…`` in ``docs/configuration.md``."""

    plain_http: bool = False
    private: bool = False
    proxy: str = ""
    connections: int = 4
    idle: float = 30.0
    seconds: float = 4 * 3600.0
    most_bytes: int = 64 * 1024**3

    @classmethod
    def from_settings(cls) -> Self:
        """The rules of this installation."""
        return cls(
            plain_http=settings.KB_FETCH_HTTP,
            private=settings.KB_FETCH_PRIVATE,
            proxy=settings.KB_FETCH_PROXY,
            connections=settings.KB_FETCH_CONNECTIONS,
            idle=settings.KB_FETCH_IDLE_SECONDS,
            seconds=settings.KB_FETCH_MINUTES * 60,
            most_bytes=settings.KB_FETCH_GIB * 1024**3,
        )


@dataclass(frozen=True, slots=True)
class Address:
    """An http or https address in parts; ``target`` is path and query, escaped."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host and port as they stand in an address; the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def shown(self) -> str:
        """The address for reports: without its query, which may hold a secret."""
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def path(self) -> str:
        """The path, escaped."""
        return self.target.partition("?")[0]

    @property
    def digest(self) -> str:
        """A name for the address that says nothing about it."""
        return hashlib.sha256(self.url.encode()).hexdigest()[:32]

    @property
    def is_loopback(self) -> bool:
        """Whether the address itself, and not a name server, says that this machine is meant."""
        literal = _literal(self.host)
        return self.host == "localhost" or (literal is not None and _innermost(literal).is_loopback)

    def child(self, path: str) -> Address:
        """The address of a file of a layout, where this one is that of its root and ends in a slash."""
        return Address(self.scheme, self.host, self.port, self.path + quote(path, safe="/~+"))


def is_address(name: str) -> bool:
    """Whether a source is named by an address, be it one that is fetched from or not."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name) is not None


def parse_address(text: str) -> Address:
    """The parts of an address. Raises ``Refusal`` ``unsafe_address`` for what is none, or holds a password."""
    shown = text[:200].partition("?")[0]
    if "@" in shown:
        shown = "the address"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        host = host if _literal(host) else host.rstrip(".").encode("idna").decode("ascii")
    except (ValueError, UnicodeError) as error:
        raise Refusal("unsafe_address", shown, "is no address that can be read") from error
    if parts.scheme not in _PORTS:
        raise Refusal("unsafe_address", shown, "only https and http addresses are fetched")
    if parts.username is not None or parts.password is not None:
        raise Refusal("unsafe_address", shown, "an address with a user name is not taken; it would be shown to others")
    if not host or port == 0 or len(text) > _LONGEST or _UNSAFE.search(text) or "%" in host:
        raise Refusal("unsafe_address", shown, "is no address that can be read")
    target = quote(parts.path or "/", safe=_KEPT.replace("?", "")) + (
        f"?{quote(parts.query, safe=_KEPT)}" if parts.query else ""
    )
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], target)


def redirected(address: Address, location: str) -> Address:
    """Where a redirect leads. Raises ``Refusal`` as :func:`parse_address` does, and when encryption would be lost."""
    try:
        joined = urljoin(address.url, location)
    except ValueError as error:
        raise Refusal("unsafe_address", address.shown, "redirects to what is no address") from error
    try:
        following = parse_address(joined)
    except Refusal as refusal:
        raise Refusal(refusal.code, address.shown, f"redirects to {refusal.origin}: {refusal.message}") from refusal
    if address.scheme == "https" and following.scheme == "http":
        raise Refusal("unsafe_address", address.shown, f"redirects to {following.shown}, which is not encrypted")
    return following


def find_hosts(address: Address, rules: FetchRules, *, loopback: bool) -> list[str]:
    """The addresses to connect to. ``loopback`` says that the operator named this machine, so that it may be it.

    Raises ``Refusal``: unsafe_address when plain HTTP or one of the addresses is not allowed; ``OSError`` when the name
    cannot be resolved.
    """
    loopback = loopback and address.is_loopback
    if address.scheme == "http" and not (loopback or rules.plain_http):
        message = "plain http is fetched from this machine only; use https (or allow it: KB_FETCH_HTTP)"
        raise Refusal("unsafe_address", address.shown, message)
    found = _resolve(address)
    for host in found:
        if rules.private or _is_public(host) or (loopback and _innermost(host).is_loopback):
            continue
        message = f"{address.host} is {host}, which is not a public address (KB_FETCH_PRIVATE allows it)"
        raise Refusal("unsafe_address", address.shown, message)
    return [str(host) for host in found]


def _resolve(address: Address) -> list[IPAddress]:
    literal = _literal(address.host)
    if literal is not None:
        return [literal]
    rows = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    hosts = dict.fromkeys(str(row[4][0]).partition("%")[0] for row in rows)
    return [ipaddress.ip_address(host) for host in hosts]


def _literal(host: str) -> IPAddress | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _innermost(host: IPAddress) -> IPAddress:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(host, ipaddress.IPv4Address):
        return host
    if host.ipv4_mapped is not None:
        return host.ipv4_mapped
    if host.sixtofour is not None:
        return host.sixtofour
    if host.teredo is not None:
        return host.teredo[1]
    if host in _NAT64:
        return ipaddress.IPv4Address(int(host) & 0xFFFF_FFFF)
    return host


def _is_public(host: IPAddress) -> bool:
    inner = _innermost(host)
    if not inner.is_global or inner.is_multicast or inner.is_reserved or inner.is_unspecified:
        return False
    if inner.is_private or inner.is_loopback or inner.is_link_local:
        return False
    return not (isinstance(inner, ipaddress.IPv4Address) and inner in _SHARED)
