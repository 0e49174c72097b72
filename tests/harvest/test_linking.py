"""What a site lacks comes from the other modules of its package: class, message, status, constants."""

from __future__ import annotations

from typing import Any

import pytest

from kb.harvest.facts import Site
from kb.harvest.lineage import Lineage
from kb.harvest.linking import Links
from kb.harvest.packages import PackageFacts
from kb.harvest.reading import read_source

ERRORS = '''
EMPTY = "no %s left"

class ShopError(Exception):
    status_code = 409

class Empty(ShopError):
    default_detail = "No stock left."

class Missing(ShopError):
    def __init__(self, name, reason="unknown"):
        super().__init__(f"{name!r} is missing: {reason}")

class Lost(Missing):
    """Missing for good."""
'''


def completed(source: str, make_package: Any) -> Site:
    texts = {"shop/errors.py": ERRORS, "shop/orders.py": source}
    modules = tuple(read_source(text.encode(), package="shop", relative=path) for path, text in texts.items())
    links = Links(Lineage(make_package(modules)))
    (site,) = modules[1].sites
    return links.complete(site, modules[1])


@pytest.fixture(scope="module")
def make_package():
    from kb.harvest.packages import Origin

    known: dict[str, Any] = {
        "distribution": "shop", "version": "1.0", "repository": "pypi/shop", "names": ("shop",),
    }  # fmt: skip

    def make(modules) -> PackageFacts:
        return PackageFacts(origin=Origin(**known), modules=modules)

    return make


CASES = {
    "message of the class": ("from .errors import Empty\nraise Empty()", "No stock left.", "class"),
    "own message before the class's": ("from .errors import Empty\nraise Empty('no pears')", "no pears", "here"),
    "template of the class": (
        "from .errors import Missing\nraise Missing(x)", "{name!r} is missing: {reason}", "class",
    ),
    "template filled": (
        "from .errors import Missing\nraise Missing('pear', reason='all sold')", "'pear' is missing: all sold", "class",
    ),
    "template of a base class": (
        "from .errors import Lost\nraise Lost(x, f'sold to {y}')", "{name!r} is missing: sold to {y}", "class",
    ),
    "through a star": ("from .errors import *\nraise Empty()", "No stock left.", "class"),
    "constant": ("from . import errors\nraise errors.ShopError(errors.EMPTY % x)", "no %s left", "constant"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "message", "origin"), CASES.values(), ids=CASES)
def test_the_message_is_completed(source, message, origin, make_package) -> None:
    site = completed(source, make_package)
    assert (site.message, site.message_from) == (message, origin)
    assert site.status == 409
    assert site.cls.startswith("shop.errors.")


def test_a_built_in_exception_stays_as_it_is(make_package) -> None:
    site = completed("raise ValueError('no stock')", make_package)
    assert (site.cls, site.message, site.status) == ("ValueError", "no stock", None)
