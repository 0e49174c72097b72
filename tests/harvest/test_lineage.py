"""What names stand for: ancestors, public names, what can be imported, who leads where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from kb.harvest.handling import caught_as
from kb.harvest.lineage import Lineage
from kb.harvest.packages import Origin, PackageFacts
from kb.harvest.reach import Reach
from kb.harvest.reading import read_source

FILES: Final = {
    "shop/__init__.py": "from shop._errors import ShopError, StockError\nfrom shop.api import buy\n",
    "shop/_errors.py": (
        "class ShopError(Exception): pass\n"
        "class StockError(ShopError, LookupError): pass\n"
        "class _Hidden(StockError): pass\n"
        "def make():\n"
        "    class Local(ShopError): pass\n"
        "    return Local\n"
    ),
    "shop/more.py": "from shop import ShopError\n",
    "shop/star.py": "from shop._errors import *\n",
    "shop/api.py": (
        "from shop.core import Cart\n"
        "def buy(item):\n    return Cart().add(item)\n"
        "def _secret(item):\n    return buy(item)\n"
        "def outermost(item):\n    return _secret(item)\n"
    ),
    "shop/core.py": (
        "class Base:\n    def _check(self, item):\n        pass\n"
        "class Cart(Base):\n    def add(self, item):\n        self._check(item)\n        self.only_here(item)\n"
        "    def only_here(self, item):\n        def inner():\n            item.odd_name()\n        return inner\n"
        "class Item:\n    def odd_name(self):\n        pass\n"
    ),
    "shop/windows.py": "import winreg\nclass RegistryError(Exception): pass\n",
    "shop/extra.py": "import lxml\nclass ExtraError(ValueError): pass\n",
    "shop/refusing.py": "import sys\nif sys.maxsize < 9:\n    raise ImportError('no')\nclass Late(OSError): pass\n",
    "shop/models.py": "from django.db import models\nclass Row(models.Model): pass\n",
    "shop/rows.py": "from shop.models import Row\nclass RowError(KeyError): pass\n",
}


def package(files: Mapping[str, str] = FILES) -> PackageFacts:
    modules = tuple(read_source(text.encode(), package="shop", relative=path) for path, text in sorted(files.items()))
    return PackageFacts(origin=Origin(distribution="shop", repository="pypi/shop", names=("shop",)), modules=modules)


@pytest.fixture(scope="module")
def lineage() -> Lineage:
    return Lineage(package(), available=("django",))


def test_reexported_names_lead_to_the_definition(lineage: Lineage) -> None:
    assert lineage.resolve("shop.ShopError") == "shop._errors.ShopError"
    assert lineage.resolve("shop.more.ShopError") == "shop._errors.ShopError"
    assert lineage.resolve("shop.star.StockError") == "shop._errors.StockError"
    assert lineage.resolve("somewhere.Else") == "somewhere.Else"


def test_names_that_stand_for_each_other_come_to_an_end() -> None:
    circle = {"shop/a.py": "from shop.b import x\n", "shop/b.py": "from shop.a import x\n"}
    assert Lineage(package(circle)).resolve("shop.a.x") in {"shop.a.x", "shop.b.x"}


def test_classes_that_inherit_from_each_other_come_to_an_end() -> None:
    circle = {"shop/a.py": "class A(B, OSError): pass\nclass B(A): pass\n"}
    assert "shop.a.B" in Lineage(package(circle)).ancestors("shop.a.A")


def test_ancestors_are_what_an_except_can_name(lineage: Lineage) -> None:
    assert lineage.ancestors("shop._errors._Hidden") == [
        "shop._errors.StockError",
        "shop._errors.ShopError",
        "LookupError",
    ]
    assert lineage.ancestors("FileNotFoundError") == ["OSError"]
    assert lineage.ancestors("shop.core.Cart") == ["shop.core.Base"]


def test_the_public_name_is_the_one_of_the_package_around(lineage: Lineage) -> None:
    assert lineage.shortest("shop._errors.ShopError") == "shop.ShopError"
    assert lineage.shortest("shop.api.buy") == "shop.buy"
    assert lineage.shortest("shop.api.outermost") == "shop.api.outermost"


@pytest.mark.parametrize(
    ("name", "caught"),
    [
        ("ValueError", ("", "ValueError")),
        ("shop._errors.StockError", ("from shop import StockError", "StockError")),
        ("shop._errors._Hidden", ("from shop import StockError", "StockError")),
        ("shop._errors.make.Local", ("from shop import ShopError", "ShopError")),
        ("shop.windows.RegistryError", ("", "")),
        ("shop.extra.ExtraError", ("", "ValueError")),
        ("shop.refusing.Late", ("", "OSError")),
        ("shop.rows.RowError", ("", "KeyError")),
        ("shop.core.Cart", ("", "")),
        ("elsewhere.Unknown", ("", "")),
        ("KeyboardInterrupt", ("", "")),
    ],
)
def test_what_is_caught_can_be_imported_for_certain(lineage: Lineage, name: str, caught: tuple[str, str]) -> None:
    assert caught_as(name, lineage) == caught


def test_a_missing_import_that_is_available_is_none(lineage: Lineage) -> None:
    available = Lineage(package(), available=("lxml",))
    assert caught_as("shop.extra.ExtraError", available) == ("from shop.extra import ExtraError", "ExtraError")


@pytest.mark.parametrize(
    ("place", "callers"),
    [
        ("shop.core.Base._check", ["shop.core.Cart.add()", "shop.buy()", "shop.api.outermost()"]),
        ("shop.core.Item.odd_name", ["shop.core.Cart.only_here()", "shop.core.Cart.add()", "shop.buy()"]),
        ("shop.api.outermost", []),
        ("shop.core.nothing", []),
    ],
    ids=["through self and a private function", "by its only name, out of an inner function", "nobody", "unknown"],
)
def test_public_functions_that_lead_to_a_place(lineage: Lineage, place: str, callers: list[str]) -> None:
    reach = Reach(package(), lineage)
    found = [reach.as_called(name) for name in reach.callers(place)]
    assert found[: len(callers)] == callers
    assert callers or not found
    assert "shop.api._secret()" not in found
