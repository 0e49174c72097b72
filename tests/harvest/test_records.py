"""A package's source becomes records that say what it says."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.harvest.packages import Origin, PackageFacts
from kb.harvest.reading import read_module
from kb.harvest.records import records_of
from kb.records.decode import decode_record
from kb.records.patterns import pattern_faults

Harvest = Callable[..., list[dict[str, Any]]]
ORIGIN = Origin(
    distribution="Shop-Kit",
    version="1.2",
    repository="acme/shop",
    address="https://github.com/acme/shop",
    names=("shop",),
    analyzed_sha="a" * 40,
    analyzed_at="2026-01-02T03:04:05Z",
)

ERRORS = '''
class ShopError(Exception):
    """Anything that goes wrong in the shop."""

class StockError(ShopError, LookupError):
    """There is too little of it.

    More words.
    """

class _Hidden(ShopError):
    pass
'''
CORE = '''
import warnings
from shop.errors import ShopError, StockError

class Cart:
    def __init__(self, limit):
        if limit < 0:
            raise ValueError(f"The limit is {limit}, which is negative.")
        self.limit = limit

    def add(self, item, count=1):
        """Put something in."""
        if not isinstance(count, int):
            raise TypeError("count must be a whole number")
        self._reserve(item, count)

    def _reserve(self, item, count):
        if item.stock < count:
            raise StockError("Too little of %s" % item)
        if item.closed:
            raise StockError

    def total(self):
        raise NotImplementedError

def fill(cart, items):
    for item in items:
        cart.add(item)

def old():
    warnings.warn("old() is going away", DeprecationWarning)

def first(item):
    if item is None:
        raise ShopError("Nothing there")

def second(item):
    if not item:
        raise ShopError("Nothing there")
'''


@pytest.fixture
def harvest(tmp_path: Path) -> Harvest:
    """Records of a package that is made of some files."""

    def made(files: dict[str, str], *, origin: Origin = ORIGIN) -> list[dict[str, Any]]:
        return records_of(facts(tmp_path, files, origin=origin))[0]

    return made


def facts(folder: Path, files: dict[str, str], *, origin: Origin = ORIGIN) -> PackageFacts:
    """What is read of some files."""
    modules = []
    for relative, text in sorted(files.items()):
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        modules.append(read_module(path, package="shop", relative=relative))
    return PackageFacts(origin=origin, modules=tuple(modules))


@pytest.fixture
def shop(harvest: Harvest) -> dict[str, dict[str, Any]]:
    """The records of the shop by message."""
    found = harvest({"shop/__init__.py": "", "shop/errors.py": ERRORS, "shop/core.py": CORE})
    return {record["errorMessage"]: record for record in found}


def test_a_guarded_raise_is_told_in_words(shop: dict[str, dict[str, Any]]) -> None:
    record = shop["The limit is {limit}, which is negative."]
    assert record["documentation"] == "`shop.core.Cart()` raises `ValueError` when `limit` is negative."
    assert record["solutions"] == ["Pass a non-negative `limit`."]
    assert record["messagePattern"] == r"The limit is (.+?), which is negative\."
    assert record["handlingStrategy"] == "validation"
    assert record["function"] == "Cart.__init__"
    assert record["backgroundTag"] == "invalid-argument"
    assert record["tags"] == ["shop-kit", "core", "range-check"]
    assert "if limit < 0:" in record["sourceCode"]


def test_an_own_class_is_described_and_can_be_caught(shop: dict[str, dict[str, Any]]) -> None:
    record = next(record for message, record in shop.items() if message.startswith("Too little of"))
    assert record["errorClass"] == "shop.errors.StockError"
    assert "The docstring of `StockError` says: “There is too little of it.”" in record["documentation"]
    assert "`ShopError` or `LookupError` catches it, too." in record["documentation"]
    assert "from shop.errors import StockError\n" in record["tryCatchPattern"]
    ast.parse(record["tryCatchPattern"])
    assert record["baseClasses"] == ["shop.errors.ShopError", "LookupError"]


def test_public_functions_that_lead_to_it_are_named(shop: dict[str, dict[str, Any]]) -> None:
    record = next(record for message, record in shop.items() if message.startswith("Too little of"))
    assert record["triggerScenarios"] == "It can be reached from `Cart.add()` and `fill()`."


def test_a_class_without_message_is_a_record_only_if_it_is_the_packages_own(harvest: Harvest) -> None:
    source = "class Mine(Exception): pass\ndef f(x):\n    if x: raise Mine\n    raise ValueError\n"
    (record,) = harvest({"shop/a.py": source})
    assert (record["errorMessage"], record["errorClass"]) == ("shop.a.Mine", "shop.a.Mine")
    assert record["id"] == hashlib.sha256(b"acme/shop\x01shop.a.Mine\x01shop/a.py").hexdigest()[:16]


def test_the_same_message_in_a_file_is_one_record_with_sites(shop: dict[str, dict[str, Any]]) -> None:
    record = shop["Nothing there"]
    assert record["function"] == "first"
    assert [site["function"] for site in record["sites"]] == ["second"]
    assert record["commonSituations"].startswith("The same file has it at 1 more place: in `second()` (line ")


def test_an_abstract_method_says_what_to_define(harvest: Harvest) -> None:
    source = "class Base:\n    def run(self):\n        raise NotImplementedError('run() must be overridden')\n"
    (record,) = harvest({"shop/a.py": source})
    assert record["documentation"].startswith("`shop.a.Base.run()` has no implementation of its own")
    assert record["solutions"] == ["Define `run()` in the subclass of `Base` that is used."]
    assert record["backgroundTag"] == "missing-implementation"
    assert record["tryCatchPattern"] is None


def test_a_missing_module_says_what_to_install(harvest: Harvest) -> None:
    source = (
        "try:\n    import lxml\nexcept ImportError as error:\n    raise RuntimeError('lxml is needed') from error\n"
    )
    (record,) = harvest({"shop/a.py": source})
    assert record["solutions"] == ["Install the package that provides `lxml` in the environment that runs the program."]
    assert record["backgroundTag"] == "missing-dependency"
    assert record["documentation"].startswith("Importing `shop.a` raises `RuntimeError` when `ImportError` is caught")
    assert "as its direct cause" in record["documentation"]


def test_a_warning_is_one(shop: dict[str, dict[str, Any]]) -> None:
    record = shop["old() is going away"]
    assert (record["severity"], record["errorType"], record["backgroundTag"]) == (
        "warning",
        "console",
        "deprecated-api",
    )
    assert record["documentation"] == "`shop.core.old()` gives a `DeprecationWarning`."
    assert record["tryCatchPattern"] is None


def test_every_record_is_good_data(shop: dict[str, dict[str, Any]]) -> None:
    assert len(shop) >= 6
    for record in shop.values():
        decoded = decode_record(record)
        assert decoded.record is not None, decoded.problems
        assert pattern_faults(record["messagePattern"], record["errorMessage"]) == ()
        assert record["origin"] == "harvest"
        assert (record["package"], record["packageVersion"]) == ("Shop-Kit", "1.2")
    assert len({record["slug"] for record in shop.values()}) == len(shop)


def test_ids_do_not_depend_on_lines_or_versions(harvest: Harvest) -> None:
    source = "def f(x):\n    raise ValueError('always the same')\n"
    (before,) = harvest({"shop/a.py": source})
    (after,) = harvest({"shop/a.py": f"import os\n\n\n{source}"})
    assert before["id"] == after["id"] == hashlib.sha256(b"acme/shop\x01always the same\x01shop/a.py").hexdigest()[:16]
    assert after["lineNumber"] == before["lineNumber"] + 3


def test_slugs_of_the_same_message_differ(harvest: Harvest) -> None:
    source = "def f(x):\n    raise ValueError('always the same')\n"
    first, second = harvest({"shop/a.py": source, "shop/b.py": source})
    assert first["slug"] == "always-the-same"
    assert second["slug"] == f"always-the-same-{second['id'][:6]}"


def test_messages_of_one_code_stay_apart(harvest: Harvest) -> None:
    source = (
        "from django.core.checks import Error\n"
        "def check(x):\n"
        "    if x: return [Error('One thing is wrong', id='shop.E001')]\n"
        "    return [Error('Another thing is wrong', id='shop.E001')]\n"
    )
    found = harvest({"shop/a.py": source})
    assert {(record["errorCode"], record["errorMessage"]) for record in found} == {
        ("shop.E001", "One thing is wrong"),
        (None, "Another thing is wrong"),
    }


@pytest.mark.parametrize(
    ("address", "revision", "expected"),
    [
        ("https://github.com/acme/shop", "v1.2", ""),
        ("https://github.com/acme/shop", "c" * 40, f"https://github.com/acme/shop/blob/{'c' * 40}/shop/a.py#L2"),
        ("https://gitlab.com/acme/shop", "v1.2", "https://gitlab.com/acme/shop/-/blob/v1.2/shop/a.py#L2"),
        ("https://gitlab.com/acme/shop", "", ""),
        ("http://gitlab.com/acme/shop", "v1.2", ""),
    ],
    ids=["a tag can move", "commit", "another host", "no revision", "no https"],
)
def test_a_permalink_only_where_the_metadata_gives_one(
    harvest: Harvest, address: str, revision: str, expected: str
) -> None:
    origin = Origin(
        distribution="shop",
        repository="acme/shop",
        address=address,
        revision=revision,
        names=("shop",),
        analyzed_sha="a" * 40,
        analyzed_at="2026-01-02T03:04:05Z",
    )
    (record,) = harvest({"shop/a.py": "def f(x):\n    raise ValueError('always the same')\n"}, origin=origin)
    assert record["githubUrl"] == expected


def test_the_report_counts_every_site(tmp_path: Path) -> None:
    source = (
        "def f(x):\n    if x: raise ValueError(x)\n    if not x: raise KeyError('gone for good')\n"
        "    raise KeyError('gone for good')\n"
    )
    records, report = records_of(facts(tmp_path, {"shop/a.py": source}))
    assert (report.sites, report.records, report.further, report.unreadable) == (3, 1, 1, 1)
    assert report.refused == {}
    assert (report + report).records == 2 * len(records)


@pytest.mark.parametrize(
    ("statement", "message", "sentence"),
    [
        (
            "raise ValueError('bad %s in %r' % (name, self.place))",
            "bad %s in %r",
            "`name` and `self.place`, in this order",
        ),
        ("raise ValueError('bad {} here'.format(name))", "bad {} here", "The message gives `name`."),
        ("raise ValueError(_('bad %s here') % name)", "bad %s here", "The message gives `name`."),
        ("raise ValueError(f'bad {name!r} here')", "bad {name!r} here", ""),
        ("raise ValueError('bad %(name)s here' % {'name': name})", "bad %(name)s here", ""),
    ],
    ids=["percent", "format", "gettext", "f-string", "named"],
)
def test_a_message_stands_as_in_the_source(harvest: Harvest, statement: str, message: str, sentence: str) -> None:
    (record,) = harvest({"shop/a.py": f"from gettext import gettext as _\ndef f(self, name):\n    {statement}\n"})
    assert record["errorMessage"] == message
    assert record["id"] == hashlib.sha256(f"acme/shop\x01{message}\x01shop/a.py".encode()).hexdigest()[:16]
    assert sentence in record["documentation"]
    assert sentence or "The message gives" not in record["documentation"]


def test_what_only_a_script_does_is_no_record(harvest: Harvest) -> None:
    assert harvest({"shop/a.py": "import sys\nif __name__ == '__main__':\n    sys.exit('Not enough of it')\n"}) == []


def test_a_private_class_is_caught_by_its_public_ancestor(harvest: Harvest) -> None:
    source = "def f(x):\n    from shop.errors import _Hidden\n    raise _Hidden('Nobody sees this class')\n"
    found = harvest({"shop/errors.py": ERRORS, "shop/a.py": source})
    assert "except ShopError as error" in found[0]["tryCatchPattern"]


def test_one_line_is_one_site(harvest: Harvest) -> None:
    source = "import logging\ndef f(x):\n    logging.error('the same words'); raise ValueError('the same words')\n"
    (record,) = harvest({"shop/a.py": source})
    assert record["errorClass"] == "ValueError"
    assert "sites" not in record
