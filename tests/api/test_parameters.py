"""Parameters as a table: what is read, and what a client is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.api.parameters import MOST_REPEATED, Parameter, check_address, parse
from kb.api.problems import Problem

TABLE = (
    Parameter(name="q", description="Words.", may_be_empty=True, longest=10, default=""),
    Parameter(name="severity", description="A choice.", kind="choice", choices=("critical", "error")),
    Parameter(name="tag", description="Repeatable.", several=True, pattern="[a-z]+", shape="letters"),
    Parameter(name="fields", description="A list.", kind="choices", choices=("id", "repo")),
    Parameter(name="limit", description="A number.", kind="integer", least=1, most=100, default=20),
)
DEFAULTS: dict[str, Any] = {"q": "", "severity": None, "tag": None, "fields": None, "limit": 20}


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("", {}),
        ("q=a+b%20c", {"q": "a b c"}),
        ("q=", {"q": ""}),
        ("q=%E4%BD%A0", {"q": "你"}),
        ("q=\xe4\xbd\xa0", {"q": "你"}),
        ("q=100%25%zz", {"q": "100%%zz"}),
        ("severity=error&limit=100", {"severity": "error", "limit": 100}),
        ("tag=a&tag=b", {"tag": ("a", "b")}),
        ("fields=repo,id", {"fields": ("repo", "id")}),
    ],
)
def test_valid_values_are_read(query: str, values: dict[str, Any]) -> None:
    assert parse(query, TABLE) == DEFAULTS | values


@pytest.mark.parametrize(
    ("query", "parameter", "code", "nearest"),
    [
        ("severty=error", "severty", "unknown", "severity"),
        ("Limit=1", "Limit", "unknown", "limit"),
        ("q=a&q=b", "q", "repeated", None),
        ("limit=1&limit=1", "limit", "repeated", None),
        ("severity=", "severity", "empty", None),
        ("severity", "severity", "empty", None),
        ("limit=", "limit", "empty", None),
        ("tag=a&tag=", "tag", "empty", None),
        ("severity=errors", "severity", "invalid", "error"),
        ("severity=ERROR", "severity", "invalid", "error"),
        ("fields=id,", "fields", "invalid", None),
        ("fields=id,id", "fields", "invalid", None),
        ("fields=id,rep", "fields", "invalid", "repo"),
        ("limit=0", "limit", "invalid", None),
        ("limit=101", "limit", "invalid", None),
        ("limit=1.0", "limit", "invalid", None),
        ("limit=%2B1", "limit", "invalid", None),
        ("limit=01", "limit", "invalid", None),
        ("limit=%D9%A3", "limit", "invalid", None),
        ("tag=A", "tag", "invalid", None),
        ("tag=a%0A", "tag", "invalid", None),
        ("q=abcdefghijk", "q", "invalid", None),
        ("&".join(["tag=a"] * (MOST_REPEATED + 1)), "tag", "repeated", None),
    ],
)
def test_what_is_wrong_is_named(query: str, parameter: str, code: str, nearest: str | None) -> None:
    with pytest.raises(Problem) as raised:
        parse(query, TABLE)
    (fault,) = raised.value.errors
    assert raised.value.code == "invalid_parameter"
    assert (fault.parameter, fault.code) == (parameter, code)
    assert (fault.nearest or None) == nearest
    assert parameter in fault.detail


def test_every_fault_is_told_at_once() -> None:
    with pytest.raises(Problem) as raised:
        parse("limit=0&nope=1&severity=", TABLE)
    assert [fault.parameter for fault in raised.value.errors] == ["limit", "nope", "severity"]
    assert raised.value.errors[1].valid == ["fields", "limit", "q", "severity", "tag"]


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [
        ("/\0", "", "invalid_character"),
        ("/%FF", "", "invalid_character"),
        ("/", "q=%00", "invalid_character"),
        ("/", "%00=a", "invalid_character"),
        ("/", "q=%ED%A0%80", "invalid_character"),
        ("/", "q=%C0%80", "invalid_character"),
        ("/", "q=\xff", "invalid_character"),
        ("/", "q=" + "a" * 2_001, "query_too_long"),
        ("/", "q=" + "%E4" * 700, "query_too_long"),
        ("/", "a=" + "a" * 6_000, "query_too_long"),
    ],
)
def test_addresses_that_hold_no_text_are_refused(path: str, query: str, code: str) -> None:
    with pytest.raises(Problem) as raised:
        check_address(path, query)
    assert raised.value.code == code


def test_a_query_at_its_limit_passes() -> None:
    check_address("/", "q=" + "a" * 2_000)


def test_too_many_parameters_are_refused() -> None:
    with pytest.raises(Problem) as raised:
        parse("&".join(f"a{number}=1" for number in range(300)), TABLE)
    assert raised.value.code == "bad_request"


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_any_query_string_gives_values_or_a_problem(query: str) -> None:
    try:
        check_address("/", query)
        values = parse(query, TABLE)
    except Problem as problem:
        assert problem.detail  # a problem is a right answer here
    else:
        assert set(values) == set(DEFAULTS)
