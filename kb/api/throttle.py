"""How many requests a client may make: a fixed window of a minute, counted in the memory of each process.

So that no database is asked and nothing is shared, each server process counts for itself; a site with *n* processes
allows up to *n* times the configured rate. Exact limits belong into the proxy in front.
"""

from __future__ import annotations

import ipaddress
import math
import time
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

__all__ = ["WINDOW_SECONDS", "Allowance", "client_of", "take"]

WINDOW_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """What is left to a client: ``remaining`` is negative when the request at hand is already too much."""

    limit: int
    remaining: int
    reset_seconds: int
    reset_at: int

    @property
    def exceeded(self) -> bool:
        """Whether the request must be refused."""
        return self.remaining < 0

    def headers(self) -> dict[str, str]:
        """The fields of the IETF draft on rate limits, and the older ones that many clients know."""
        left = max(self.remaining, 0)
        return {
            "RateLimit-Policy": f'"default";q={self.limit};w={WINDOW_SECONDS}',
            "RateLimit": f'"default";r={left};t={self.reset_seconds}',
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(self.reset_at),
        }


def take(request: HttpRequest) -> Allowance | None:
    """Count ``request`` and say what is left; ``None`` when no limit is set."""
    limit = int(settings.KB_RATE_LIMIT)
    if not limit:
        return None
    now = time.time()
    window = int(now // WINDOW_SECONDS)
    key = f"rate:{window}:{client_of(request)}"
    cache.add(key, 0, timeout=WINDOW_SECONDS + 1)
    try:
        used = cache.incr(key)
    except ValueError:  # dropped between the two calls, because the cache is full
        used = 1
    end = (window + 1) * WINDOW_SECONDS
    return Allowance(limit=limit, remaining=limit - used, reset_seconds=max(1, math.ceil(end - now)), reset_at=end)


def client_of(request: HttpRequest) -> str:
    """Who counts as one client: an IPv4 address, or the /64 network of an IPv6 address, since a client has a whole one.

    ``X-Forwarded-For`` counts only as far as our own proxies wrote it: with ``KB_TRUSTED_PROXIES`` of *n* the *n*-th
    address from its end; with 0 it is ignored. Some proxies write the client's port, too: it is left out.
    """
    address = str(request.META.get("REMOTE_ADDR", ""))
    proxies = int(settings.KB_TRUSTED_PROXIES)
    if proxies:
        forwarded = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()]
        address = _without_port(forwarded[-min(proxies, len(forwarded))]) if forwarded else address
    if ":" not in address:
        return address[:64]
    try:
        ip = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    return str(ip.ipv4_mapped or ipaddress.IPv6Network((int(ip) >> 64 << 64, 64)))


def _without_port(address: str) -> str:
    """The address in ``192.0.2.1:80``, ``[2001:db8::1]:80`` or ``[2001:db8::1]``; anything else as it is."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address
