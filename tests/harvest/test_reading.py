"""Reading a file: classes, functions, imports; and files that cannot be read, each with its reason."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from kb.harvest.facts import ModuleFacts
from kb.harvest.reading import LARGEST, read_module, read_source

SOURCE = '''
"""A shop."""
from .base import ShopError
from .words import *
import os.path as path

__all__ = ["Empty", "sell"]
LIMIT = "at most {limit}"

class Empty(ShopError):
    """Nothing is left.

    More about it.
    """

    default_detail = _("No stock left.")
    status_code = status.HTTP_409_CONFLICT
    default_code = "empty"

class TooMany(ValueError):
    def __init__(self, wanted, left=0):
        self.left = left
        super().__init__(f"{wanted} wanted, {left} left")

class Printed(Exception):
    def __str__(self):
        return "code %s: %s pieces" % (self.code, self.count)

class Shop:
    def sell(self, item):
        self._take(item)
        path.join("a")
        item.close()

    def _take(self, item):
        return sell(item)

def sell(item):
    Empty()
'''


@pytest.fixture(scope="module")
def facts() -> ModuleFacts:
    return read_source(SOURCE.encode(), package="shop", relative="shop/orders/__init__.py")


def test_classes_are_read_with_what_they_fix(facts) -> None:
    found = {cls.name: cls for cls in facts.classes}
    empty, many = found["Empty"], found["TooMany"]
    assert (empty.qualified, empty.bases) == ("shop.orders.Empty", ("shop.orders.base.ShopError",))
    assert (empty.summary, empty.message) == ("Nothing is left.", "No stock left.")
    assert (empty.status, empty.code, empty.exception) == (409, "empty", True)
    assert (many.message, many.parameters) == ("{wanted} wanted, {left} left", ("wanted", "left"))
    assert found["Printed"].message == "code %s: %s pieces"
    assert not found["Shop"].exception


def test_functions_are_read_with_whom_they_call(facts) -> None:
    found = {function.name: function for function in facts.functions}
    assert found["Shop.sell"].calls == ("shop.orders.Shop._take", "os.path.join", ".close")
    assert found["Shop._take"].calls == ("shop.orders.sell",)
    assert found["sell"].calls == ("shop.orders.Empty",)
    assert {name for name, function in found.items() if function.public} == {
        "Shop.sell", "sell", "TooMany.__init__",
    }  # fmt: skip


def test_names_are_read_with_what_they_stand_for(facts) -> None:
    imports = [("ShopError", "shop.orders.base.ShopError"), ("path", "os.path"), ("*", "shop.orders.words")]
    assert facts.module == "shop.orders"
    assert sorted(facts.imports) == sorted(imports)
    assert facts.exports == ("Empty", "sell")
    assert facts.constants == (("LIMIT", "at most {limit}"),)


@pytest.mark.parametrize(
    ("relative", "module"), [("shop/__init__.py", "shop"), ("src/shop/a.py", "shop.a"), ("shop.py", "shop")]
)
def test_the_path_gives_the_module(relative, module) -> None:
    assert read_source(b"", package="shop", relative=relative).module == module


BROKEN = {
    "syntax": (b"def f(:\n", "not valid Python: invalid syntax, line 1"),
    "Python 2": (b'print "x"\n', "not valid Python: Missing parentheses"),
    "NUL": (b"x = 1\x00", "not valid Python"),
    "unknown encoding": (b"# coding: klingon\n", "its encoding is unknown or broken"),
    "no UTF-8": (b"x = '\xff'\n", "its encoding is unknown or broken"),
    "parentheses": (b"(" * 5000 + b")" * 5000, "not valid Python: too many nested parentheses"),
    "nested attributes": (b"x" + b".x" * 100_000, "nested too deeply"),
    "unary operators": (b"x = " + b"-" * 20_000 + b"1", "nested too deeply"),
}


@pytest.mark.parametrize(("data", "problem"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_says_why(data, problem) -> None:
    facts = read_source(data, package="shop", relative="shop/orders.py")
    assert facts.problem.startswith(problem)
    assert (facts.sites, facts.functions, facts.imports) == ((), (), ())


def test_another_encoding_is_read_by_its_declaration() -> None:
    data = "# -*- coding: latin-1 -*-\nraise ValueError('kein Gemüse übrig')\n".encode("latin-1")
    assert [site.message for site in read_source(data, package="x", relative="x.py").sites] == ["kein Gemüse übrig"]
    data = b"\xef\xbb\xbfraise ValueError('no stock')\n"
    (site,) = read_source(data, package="x", relative="x.py").sites
    assert site.snippet == "raise ValueError('no stock')"


def test_files_that_are_none_are_told(tmp_path: Path) -> None:
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "large.py").write_bytes(b"#" * (LARGEST + 1))
    (tmp_path / "zip.py").write_bytes(b"PK")
    problems = {
        name: read_module(tmp_path / name, package="x", relative="x.py").problem
        for name in ("loop.py", "folder.py", "pipe.py", "large.py", "zip.py/x.py", "none.py", "a\0.py")
    }
    assert problems["large.py"] == "larger than 2 MiB"
    assert problems["folder.py"] == problems["pipe.py"] == "not a regular file"
    unread = [name for name, problem in problems.items() if problem.startswith("cannot be read: ")]
    assert unread == ["loop.py", "zip.py/x.py", "none.py", "a\0.py"]


def test_a_chain_of_a_thousand_branches_and_operands_is_read() -> None:
    branches = "\n".join(f"elif x == {number}:\n    raise ValueError('number {number}')" for number in range(1000))
    total = " + ".join(["'no stock '"] * 500)
    source = f"if x:\n    pass\n{branches}\nraise ValueError({total})"
    facts = read_source(source.encode(), package="x", relative="x.py")
    assert (facts.problem, len(facts.sites)) == ("", 1001)


def test_damaged_sources_never_raise() -> None:
    chance = random.Random(6)
    data = SOURCE.encode() + Path(read_module.__code__.co_filename).read_bytes()
    for _ in range(300):
        start, end = sorted(chance.randrange(len(data)) for _ in range(2))
        broken = data[:start] + bytes(chance.randrange(256) for _ in range(chance.randrange(4))) + data[end:]
        assert isinstance(read_source(broken, package="x", relative="x.py"), ModuleFacts)
