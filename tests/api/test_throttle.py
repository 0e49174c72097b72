"""The rate of a client."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client, RequestFactory

from kb.api import throttle

RATE = ("ratelimit-policy", "ratelimit", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")


def client_of(address: str, forwarded: str = "", proxies: int = 0, settings: Any = None) -> str:
    settings.KB_TRUSTED_PROXIES = proxies
    headers = {"x-forwarded-for": forwarded} if forwarded else {}
    return throttle.client_of(RequestFactory(REMOTE_ADDR=address).get("/", headers=headers))


@pytest.mark.parametrize(
    ("address", "forwarded", "proxies", "client"),
    [
        ("192.0.2.1", "", 0, "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", 0, "192.0.2.1"),
        ("192.0.2.1", "203.0.113.9, 198.51.100.7", 1, "198.51.100.7"),
        ("192.0.2.1", "forged, 203.0.113.9, 198.51.100.7", 2, "203.0.113.9"),
        ("192.0.2.1", "198.51.100.7", 3, "198.51.100.7"),
        ("192.0.2.1", "", 1, "192.0.2.1"),
        ("2001:db8::1", "", 0, "2001:db8::/64"),
        ("2001:db8::ffff:1", "", 0, "2001:db8::/64"),
        ("::ffff:192.0.2.1", "", 0, "192.0.2.1"),
        ("fe80::1%eth0", "", 0, "fe80::/64"),
        ("192.0.2.1", "not:an:address", 1, "not:an:address"),
        ("192.0.2.1", "198.51.100.7:40001", 1, "198.51.100.7"),
        ("192.0.2.1", "203.0.113.9:1, 198.51.100.7:40001", 2, "203.0.113.9"),
        ("192.0.2.1", "198.51.100.7:40001", 0, "192.0.2.1"),
        ("192.0.2.1", "[2001:db8::1]:40001", 1, "2001:db8::/64"),
        ("192.0.2.1", "[2001:db8::1]", 1, "2001:db8::/64"),
        ("192.0.2.1", "[fe80::1%eth0]:40001", 1, "fe80::/64"),
        ("192.0.2.1", "[::ffff:198.51.100.7]:40001", 1, "198.51.100.7"),
        ("192.0.2.1", "2001:db8::1", 1, "2001:db8::/64"),
        ("192.0.2.1", "[", 1, ""),
        ("192.0.2.1", "unknown:40001", 1, "unknown"),
    ],
)
def test_who_is_one_client(address: str, forwarded: str, proxies: int, client: str, settings: Any) -> None:
    assert client_of(address, forwarded, proxies, settings) == client


@pytest.mark.parametrize("form", ["{0}", "{0}:{2}", "[{1}]:{2}", "[::ffff:{0}]:{2}", "{1}"])
def test_a_client_behind_a_proxy_has_one_count_whatever_its_port(form: str, settings: Any) -> None:
    clients = {
        client_of("192.0.2.1", form.format("198.51.100.7", "2001:db8::1", port), 1, settings)
        for port in range(1024, 1054)
    }
    assert clients <= {"198.51.100.7", "2001:db8::/64"}
    assert len(clients) == 1


def test_a_client_over_its_rate_is_refused_without_a_database(settings: Any) -> None:
    """No ``db`` fixture: a query would fail the test."""
    settings.KB_RATE_LIMIT = 3
    client = Client()
    answers = [client.get("/api/v1/nope", headers={"x-forwarded-for": f"10.0.0.{turn}"}) for turn in range(5)]
    if answers[0]["x-ratelimit-reset"] != answers[-1]["x-ratelimit-reset"]:  # a minute ended meanwhile
        answers = [client.get("/api/v1/nope", headers={"x-forwarded-for": f"10.0.1.{turn}"}) for turn in range(5)]
    assert [answer.status_code for answer in answers] == [404, 404, 404, 429, 429]
    assert [answer["x-ratelimit-remaining"] for answer in answers] == ["2", "1", "0", "0", "0"]
    refused = answers[-1].json()
    assert (refused["code"], refused["status"]) == ("too_many_requests", 429)
    assert 1 <= int(answers[-1]["retry-after"]) <= throttle.WINDOW_SECONDS
    assert answers[-1]["ratelimit-policy"] == '"default";q=3;w=60'
    assert answers[-1]["access-control-allow-origin"] == "*"


def test_other_addresses_and_other_pages_have_their_own_count(settings: Any) -> None:
    settings.KB_RATE_LIMIT = 1
    assert Client(REMOTE_ADDR="192.0.2.1").get("/api/v1/nope").status_code == 404
    assert Client(REMOTE_ADDR="192.0.2.2").get("/api/v1/nope").status_code == 404
    assert "ratelimit" not in Client().get("/docs/api/").headers


def test_without_a_limit_nothing_is_counted_or_said(settings: Any) -> None:
    settings.KB_RATE_LIMIT = 0
    answer = Client().get("/api/v1/nope")
    assert answer.status_code == 404
    assert not set(RATE) & {name.lower() for name in answer.headers}
