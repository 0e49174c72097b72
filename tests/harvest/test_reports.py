"""Sites that are no raise: warnings, logs, system checks, exits, parsers; and what a site knows of class and status."""

from __future__ import annotations

import textwrap

import pytest

from kb.harvest.facts import Site
from kb.harvest.reading import read_source


def site_of(source: str, relative: str = "shop/orders.py") -> Site:
    facts = read_source(textwrap.dedent(source).encode(), package="shop", relative=relative)
    assert facts.problem == ""
    (site,) = facts.sites
    return site


REPORTS = {
    "warning": (
        'import warnings\nwarnings.warn("stock is low", StockWarning, stacklevel=2)',
        {"kind": "warning", "cls": "StockWarning", "message": "stock is low"},
    ),
    "warning without category": (
        'from warnings import warn\nwarn(f"stock of {item} is low")',
        {"kind": "warning", "cls": "UserWarning", "message": "stock of {item} is low"},
    ),
    "warning instance": (
        'import warnings\nwarnings.warn(DeprecationWarning("stock is old"))',
        {"kind": "warning", "cls": "DeprecationWarning", "message": "stock is old"},
    ),
    "log": (
        'logger.error("stock of %s is 100%% gone", item)',
        {"kind": "log", "level": "error", "message": "stock of %s is 100% gone"},
    ),
    "log through self": ('self._log.critical("no stock")', {"kind": "log", "level": "critical", "message": "no stock"}),
    "log with its level": (
        'logging.getLogger(__name__).log(logging.ERROR, "no stock")',
        {"kind": "log", "level": "error", "message": "no stock"},
    ),
    "check": (
        'from django.core.checks import Error\nError("No stock.", hint="Buy some.", id="shop.E001")',
        {"kind": "check", "level": "error", "message": "No stock.", "hint": "Buy some.", "code": "shop.E001"},
    ),
    "exit": (
        'import sys\nsys.exit("no stock left")',
        {"kind": "exit", "cls": "SystemExit", "message": "no stock left", "exit_status": 1},
    ),
    "raised exit": ('raise SystemExit("no stock left")', {"kind": "exit", "message": "no stock left"}),
    "parser": (
        'parser.error("give --stock")',
        {"kind": "parser", "cls": "SystemExit", "message": "give --stock", "exit_status": 2},
    ),
    "click": ('ctx.fail("give --stock")', {"kind": "parser", "cls": "click.UsageError"}),
    "assert": ('assert x, f"no {item} left"', {"kind": "assert", "cls": "AssertionError", "message": "no {item} left"}),
    "table of a serializer": (
        'class F:\n  default_error_messages = {"empty": "No stock."}\n  def f(self):\n    self.fail("empty")',
        {"kind": "raise", "message": "No stock.", "status": 400, "message_from": "class"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), REPORTS.values(), ids=REPORTS)
def test_a_report_is_a_site(source, expected) -> None:
    site = site_of(source)
    assert {name: getattr(site, name) for name in expected} == expected


@pytest.mark.parametrize(
    "source",
    ['logger.info("all well here")', 'catalog.error("no logger")', 'warn("not of warnings")', 'Error("no check")',
     "exit()", "assert stock", "log.error(text)"],
)  # fmt: skip
def test_other_calls_are_none(source) -> None:
    assert read_source(source.encode(), package="shop", relative="shop/orders.py").sites == ()


CLASSES = {
    "built in": ("raise ValueError('no stock')", "ValueError"),
    "imported": ("from shop.errors import Empty\nraise Empty('no stock')", "shop.errors.Empty"),
    "imported from a neighbor": ("from .errors import Empty as E\nraise E('no stock')", "shop.errors.Empty"),
    "through a module": ("from . import errors\nraise errors.Empty('no stock')", "shop.errors.Empty"),
    "from two packages up": ("from ..errors import Empty\nraise Empty('no stock')", "errors.Empty"),
    "own": ("class Empty(Exception): ...\nraise Empty('no stock')", "shop.orders.Empty"),
    "own of a function": (
        "def f():\n  class Empty(Exception): ...\n  raise Empty('no stock')",
        "shop.orders.f.Empty",
    ),
    "attribute of the class": (
        "from x import Empty\nclass A:\n  error = Empty\n  def f(self):\n    raise self.error('no stock')",
        "x.Empty",
    ),
    "alias": ("from x import Empty\nBad = Empty\nraise Bad('no stock')", "x.Empty"),
    "local alias": ("from x import Empty\ndef f():\n  bad = Empty\n  raise bad('no stock')", "x.Empty"),
    "class of what was caught": ("try:\n  f()\nexcept OSError as e:\n  raise type(e)('no stock') from e", "OSError"),
}


@pytest.mark.parametrize(("source", "cls"), CLASSES.values(), ids=CLASSES)
def test_the_class_is_qualified(source, cls) -> None:
    assert site_of(source).cls == cls


STATUSES = {
    "known class": ("from django.http import Http404\nraise Http404('no stock')", 404),
    "keyword": ("raise HTTPException(status_code=409, detail='no stock')", 409),
    "position": ("raise HTTPException(409, 'no stock')", 409),
    "constant": ("raise HTTPException(status.HTTP_409_CONFLICT, 'no stock')", 409),
    "enumeration": ("raise HTTPException(HTTPStatus.CONFLICT.value, 'no stock')", 409),
    "name of the class": ("from aiohttp import web\nraise web.HTTPConflict(text='no stock')", 409),
    "none": ("raise ValueError(404, 'no stock')", None),
}


@pytest.mark.parametrize(("source", "status"), STATUSES.values(), ids=STATUSES)
def test_the_http_status_is_read(source, status) -> None:
    assert site_of(source).status == status


def test_a_site_says_where_it_stands_and_what_it_was_raised_from() -> None:
    site = site_of(
        """
        class Shop:
            def sell(self, item):
                try:
                    take(item)
                except KeyError as error:
                    raise LookupError(
                        f"no {item} left",
                    ) from error
        """
    )
    assert (site.function, site.line, site.end_line, site.raised_from) == ("Shop.sell", 7, 9, "error")
    assert site.arguments == ("f'no {item} left'",)


@pytest.mark.parametrize(("code", "kept"), [("E001", "E001"), ("ERR_EMPTY", "ERR_EMPTY"), ("invalid", None)])
def test_only_distinctive_codes_are_codes(code, kept) -> None:
    assert site_of(f"raise OrderError('no stock left', code={code!r})").code == kept
