"""What the sentences of a record do not say: what is not so."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from kb.harvest.packages import Origin, PackageFacts
from kb.harvest.reading import read_source
from kb.harvest.records import records_of


def record_of(source: str) -> dict[str, Any]:
    """The record of a module's last site."""
    module = read_source(textwrap.dedent(source).encode(), package="shop", relative="shop/cart.py")
    origin = Origin(
        distribution="shop",
        repository="acme/shop",
        names=("shop",),
        analyzed_sha="a" * 40,
        analyzed_at="2026-01-02T03:04:05Z",
    )
    records, report = records_of(PackageFacts(origin=origin, modules=(module,)))
    assert not report.refused
    return records[-1]


def first_sentence(record: dict[str, Any]) -> str:
    return record["documentation"].partition("\n")[0]


def test_the_last_branch_says_that_no_branch_before_it_was_taken() -> None:
    record = record_of("""
        def pay(way):
            if way == 'cash':
                a = 1
            elif way == 'card':
                a = 2
            else:
                raise ValueError('no such way to pay')
    """)
    assert first_sentence(record) == (
        "`shop.cart.pay()` raises `ValueError` when `way` is neither `'cash'` nor `'card'`."
    )
    assert record["solutions"] == []


def test_branches_of_several_kinds_are_told_one_by_one() -> None:
    record = record_of("""
        def pay(way, sum):
            if way == 'cash':
                return 1
            if sum < 10:
                return 2
            raise ValueError('no way to pay')
    """)
    assert first_sentence(record) == (
        "`shop.cart.pay()` raises `ValueError` when `way` is not `'cash'` and `sum` is at least `10`."
    )


def test_an_elif_says_that_a_branch_before_it_may_decide() -> None:
    record = record_of("""
        def pay(way, sum):
            if way is None or way.lower() in ('cash', 'card'):
                return 1
            elif isinstance(way, str):
                raise ValueError('no such way to pay')
    """)
    assert first_sentence(record) == (
        "`shop.cart.pay()` raises `ValueError` when `way` is an instance of `str`, "
        "unless an earlier branch of the `if` applies."
    )
    assert record["solutions"] == []  # some texts may be passed


def test_branches_that_exclude_each_other_are_told_alone() -> None:
    record = record_of("""
        def pay(way):
            if way == 'cash':
                return 1
            elif way == 'coins':
                raise ValueError('no coins are taken')
    """)
    assert first_sentence(record) == "`shop.cart.pay()` raises `ValueError` when `way` equals `'coins'`."


def test_branches_with_a_choice_are_not_told_one_by_one() -> None:
    record = record_of("""
        def pay(way, sum):
            if way == 'cash' and sum < 10:
                return 1
            elif way == 'card':
                return 2
            else:
                raise ValueError('no way to pay')
    """)
    assert first_sentence(record).endswith(" when none of the conditions before it holds.")


def test_a_warning_that_is_made_is_not_raised() -> None:
    record = record_of("""
        def pay(way, told):
            told.append(UserWarning('no coins are taken'))
    """)
    assert first_sentence(record) == "`shop.cart.pay()` gives a `UserWarning`."
    assert record["severity"] == "warning"


def test_many_branches_are_not_told_one_by_one() -> None:
    branches = "\n".join(f"    if way.kind{number}(): return {number}" for number in range(9))
    record = record_of(f"def pay(way):\n{branches}\n    raise ValueError('no way to pay')\n")
    assert first_sentence(record).endswith(" when none of the conditions before it holds.")


def test_what_returns_under_unclear_circumstances_leaves_no_condition() -> None:
    record = record_of("""
        def load(content):
            if content is None:
                return {}
            try:
                stored = parse(content)
            except ValueError:
                pass
            else:
                if stored:
                    return stored
            raise ValueError('cannot load it')
    """)
    assert first_sentence(record) == "`shop.cart.load()` raises `ValueError`."
    assert record["solutions"] == []


def test_a_condition_is_not_told_twice() -> None:
    record = record_of("""
        def read(next):
            if next != '"':
                skip()
                if next != '"':
                    raise ValueError('a quote is missing')
    """)
    assert first_sentence(record) == "`shop.cart.read()` raises `ValueError` when `next` is not `'\"'`."


def test_a_check_that_a_module_holds_is_not_reported_by_its_import() -> None:
    record = record_of("from django.core.checks import Warning\nW1 = Warning('No key is set.', id='shop.W001')\n")
    assert first_sentence(record) == "A system check reports `shop.W001` at the level `warning`."
    assert record["triggerScenarios"] == ""


def test_a_method_that_is_not_supported_is_not_asked_for() -> None:
    record = record_of("""
        class Cart:
            def share(self):
                raise NotImplementedError('sharing is not supported')
    """)
    assert record["solutions"] == []


def test_a_warning_refuses_nothing() -> None:
    record = record_of("""
        import warnings
        def fill(cart):
            if cart is None:
                warnings.warn('an empty cart')
    """)
    assert record["solutions"] == []


def test_a_flag_is_no_advice_where_something_else_went_wrong() -> None:
    record = record_of("""
        def save(must_create):
            try:
                store()
            except FileNotFoundError:
                if not must_create:
                    raise LookupError('the session is gone')
    """)
    assert record["solutions"] == []


def test_modules_of_python_itself_need_no_package() -> None:
    record = record_of("""
        def lock():
            try:
                import multiprocessing.synchronize
            except ImportError as error:
                raise OSError('no locks here') from error
    """)
    assert record["solutions"] == []


def test_another_value_is_no_advice_where_more_must_hold() -> None:
    record = record_of("""
        def translate(domain):
            if domain == 'shop' and catalog is None:
                raise OSError('no translations found')
    """)
    assert record["solutions"] == []


@pytest.mark.parametrize(
    ("docstring", "said"),
    [
        ("The stock is empty,", "The stock is empty."),
        ("The stock is empty,.", "The stock is empty."),
        ("The stock is empty", "The stock is empty."),
        ("Is the stock empty?", "Is the stock empty?"),
    ],
)
def test_a_docstring_ends_as_a_sentence(docstring: str, said: str) -> None:
    source = f"class StockError(Exception):\n    '''{docstring}'''\ndef f():\n    raise StockError('no stock left')\n"
    assert f"“{said}”" in record_of(source)["documentation"]
