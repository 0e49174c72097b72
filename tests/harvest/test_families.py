"""Type, severity, family and tags follow from rules."""

from __future__ import annotations

from typing import Any

import pytest

from kb.harvest.facts import GuardFacts, Site
from kb.harvest.families import error_type, family_of, kebab, severity_of, tags_of
from kb.harvest.handling import strategy_of


def site(**facts: Any) -> Site:
    return Site(**({"kind": "raise", "line": 2, "end_line": 2, "snippet_start": 1, "snippet": "\n"} | facts))


RULES = [
    (site(cls="ValueError"), ("exception", "error", "invalid-argument")),
    (site(cls="rest_framework.exceptions.NotFound", status=404), ("http", "warning", "not-found")),
    (site(cls="shop.ServerError", status=503), ("http", "error", None)),
    (site(cls="django.core.exceptions.ImproperlyConfigured"), ("exception", "critical", "invalid-configuration")),
    (
        site(cls="shop.ConfigError", guard=GuardFacts(condition="path is None")),
        ("exception", "critical", "missing-configuration"),
    ),
    (site(cls="django.forms.ValidationError"), ("validation", "error", "validation-failed")),
    (site(cls="urllib3.exceptions.ReadTimeoutError"), ("exception", "error", "timeout")),
    (site(cls="RuntimeError", guard=GuardFacts(caught=("ImportError",))), ("exception", "error", "missing-dependency")),
    (site(cls="RuntimeError", message="the pool is closed"), ("exception", "error", "resource-closed")),
    (site(cls="NotImplementedError", guard=GuardFacts(place="only")), ("exception", "error", "missing-implementation")),
    (site(cls="NotImplementedError"), ("exception", "error", "unsupported-operation")),
    (site(kind="warning", cls="DeprecationWarning"), ("console", "warning", "deprecated-api")),
    (site(kind="warning", cls="PendingDeprecationWarning"), ("console", "info", "deprecated-api")),
    (site(kind="log", level="critical"), ("console", "critical", None)),
    (site(kind="log", level="error"), ("console", "error", None)),
    (site(kind="check", code="shop.W001", level="warning"), ("error_code", "warning", "invalid-configuration")),
    (site(kind="exit", cls="SystemExit", message="nothing to do"), ("console", "error", None)),
    (site(kind="parser", message="bad option"), ("console", "error", "invalid-argument")),
    (site(kind="assert", cls="AssertionError"), ("exception", "error", "assertion-failed")),
    (site(cls="shop.OddError", message="as it is"), ("exception", "error", None)),
]


@pytest.mark.parametrize(("found", "expected"), RULES, ids=[f"{row[0].kind} {row[0].cls}" for row in RULES])
def test_type_severity_and_family(found: Site, expected: tuple[str, str, str | None]) -> None:
    assert (error_type(found), severity_of(found), family_of(found)) == expected


def test_tags_name_package_part_deed_and_question() -> None:
    found = site(kind="warning", cls="DeprecationWarning", guard=GuardFacts(condition="not isinstance(x, str)"))
    assert tags_of(found, "shop-kit", "shop.cart.items") == [
        "shop-kit",
        "cart",
        "warnings",
        "deprecation",
        "type-check",
    ]
    assert tags_of(site(status=404), "shop", "shop._private") == ["shop", "http-404"]


def test_tags_have_the_shape_of_the_contract() -> None:
    assert [kebab(name) for name in ("Shop_Kit", "2to3", "__", "a--b.c")] == ["shop-kit", "to3", "", "a-b-c"]


@pytest.mark.parametrize(
    ("family", "guard", "catchable", "expected"),
    [
        ("timeout", "range", True, "retry"),
        ("missing-dependency", "", True, "fallback"),
        ("invalid-argument", "type", True, "type-guard"),
        ("invalid-argument", "range", True, "validation"),
        (None, "other", True, "try-catch"),
        (None, "other", False, None),
    ],
)
def test_how_to_handle_it(family: str | None, guard: str, catchable: bool, expected: str | None) -> None:
    assert strategy_of(family, guard, catchable=catchable) == expected
