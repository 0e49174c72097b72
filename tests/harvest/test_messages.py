"""The messages of a module's raise sites, in every form in which sources write them."""

from __future__ import annotations

import textwrap

import pytest

from kb.harvest.facts import Site
from kb.harvest.reading import read_source


def sites_of(source: str, relative: str = "shop/orders.py") -> tuple[Site, ...]:
    facts = read_source(textwrap.dedent(source).encode(), package="shop", relative=relative)
    assert facts.problem == ""
    return facts.sites


def messages_of(source: str) -> list[str]:
    return [site.message for site in sites_of(source)]


ONE_MESSAGE = {
    "literal": ('raise ValueError("no stock left")', "no stock left"),
    "implicit concatenation": ('raise ValueError("no stock "\n  "left")', "no stock left"),
    "f-string": (
        'raise ValueError(f"{order.id!r} has {len(items):>3} items")',
        "{order.id!r} has {len(items):>3} items",
    ),
    "f-string with a call of many arguments": (
        "raise ValueError(f\"one of {', '.join(sorted(names, key=str))} is needed\")",
        "one of {', '.join(sorted(names, key=str))} is needed",
    ),
    "doubled braces in an f-string": ('raise ValueError(f"brace {{ in {name}")', "brace { in {name}"),
    "percent with a value": ('raise ValueError("order %s is 100%% empty" % order)', "order %s is 100% empty"),
    "percent with names": ('raise ValueError("%(a)s or %(b)d" " pieces" % values)', "%(a)s or %(b)d pieces"),
    "format": ('raise ValueError("{} of {0.size!r} and {{x}}".format(a))', "{} of {0.size!r} and {x}"),
    "joined values": ('raise ValueError("unknown order " + str(number) + "!")', "unknown order {str(number)}!"),
    "join of a list": ('raise ValueError("; ".join(["first part", detail]))', "first part; {detail}"),
    "gettext": ('raise ValueError(_("no stock left"))', "no stock left"),
    "gettext with context": ('raise ValueError(pgettext("shop", "no stock left"))', "no stock left"),
    "Template": ('raise ValueError(Template("no $item left").substitute(item=x))', "no ${item} left"),
    "dedent": ('raise ValueError(textwrap.dedent("""\\\n  no stock\n  left"""))', "no stock\nleft"),
    "module constant": ('EMPTY = "no stock left"\nraise ValueError(EMPTY)', "no stock left"),
    "module constant with values": ('EMPTY = "no %s left"\nraise ValueError(EMPTY % item)', "no %s left"),
    "local variable": ('def f():\n  text = "no stock left"\n  raise ValueError(text)', "no stock left"),
    "variable that grows": (
        'def f(x):\n  text = "no stock"\n  text += f" of {x}"\n  raise ValueError(text)',
        "no stock of {x}",
    ),
    "keyword": ('raise OrderError(code=4, message="no stock left")', "no stock left"),
    "second argument": ('raise OSError(errno.ENOENT, "no stock left", path)', "no stock left"),
    "words before a name": ('raise OrderError("stock", "must not be empty")', "must not be empty"),
    "a list of texts": ('raise ValidationError(["no stock left"])', "no stock left"),
    "a dictionary of texts": ('raise ValidationError({"stock": "nothing left"})', "nothing left"),
    "built first": ('def f():\n  error = ValueError("no stock left")\n  log(error)\n  raise error', "no stock left"),
    "with a traceback": ('raise ValueError("no stock left").with_traceback(tb)', "no stock left"),
    "from": ('raise ValueError("no stock left") from error', "no stock left"),
    "attribute of the class": (
        'class A:\n  empty = "no stock left"\n  def f(self):\n    raise ValueError(self.empty)',
        "no stock left",
    ),
    "attribute of a base class": (
        'class A:\n  empty = "no stock left"\nclass B(A):\n  def f(self):\n    raise ValueError(self.empty % 3)',
        "no stock left",
    ),
    "table of the class": (
        (
            'class A:\n  default_error_messages = {"empty": _("no stock left"), "many": "too many"}\n'
            '  def f(self):\n    raise ValueError(self.error_messages["empty"], code="empty")'
        ),
        "no stock left",
    ),
    "member of an enumeration": (
        'class Codes(Enum):\n  EMPTY = ("E01", "no stock left")\nraise OrderError(Codes.EMPTY.value)',
        "no stock left",
    ),
    "method that returns the text": (
        'class A:\n  def words(self):\n    return "no stock left"\n  def f(self):\n    raise ValueError(self.words())',
        "no stock left",
    ),
    "method that returns the exception": (
        'class A:\n  def error(self):\n    return ValueError("no stock left")\n  def f(self):\n    raise self.error()',
        "no stock left",
    ),
    "given to a caught exception": (
        'try:\n  f()\nexcept KeyError as error:\n  error.args = (f"no {error} left",) + error.args[1:]\n  raise',
        "no {error} left",
    ),
    "note of a caught exception": (
        'try:\n  f()\nexcept KeyError as error:\n  error.add_note("no stock left")\n  raise',
        "no stock left",
    ),
}


@pytest.mark.parametrize(("source", "message"), ONE_MESSAGE.values(), ids=ONE_MESSAGE)
def test_a_message_is_read_as_the_source_has_it(source, message) -> None:
    assert message in messages_of(source)
    assert [found for found in messages_of(source) if found != message] == []


SEVERAL_MESSAGES = {
    "conditional expression": ('raise ValueError("one thing" if x else "another")', ["one thing", "another"]),
    "singular and plural": ('raise ValueError(ngettext("one item", "%d items", n))', ["one item", "%d items"]),
    "branches": (
        'def f(x):\n  if x:\n    text = "one thing"\n  else:\n    text = "another"\n  raise ValueError(text)',
        ["one thing", "another"],
    ),
    "a branch that leaves does not count": (
        'def f(x):\n  text = "one thing"\n  if x:\n    text = "another"\n    return text\n  raise ValueError(text)',
        ["one thing"],
    ),
    "handlers": (
        (
            'def f():\n  try:\n    g()\n  except A:\n    text = "one thing"\n  except B:\n    text = "another"\n'
            "  else:\n    return\n  raise ValueError(text)"
        ),
        ["one thing", "another"],
    ),
    "table with an open key": (
        'WORDS = {1: "one thing", 2: "another"}\ndef f(code):\n  raise ValueError(WORDS[code])',
        ["one thing", "another"],
    ),
}


@pytest.mark.parametrize(("source", "messages"), SEVERAL_MESSAGES.values(), ids=SEVERAL_MESSAGES)
def test_every_message_that_a_statement_can_have_is_read(source, messages) -> None:
    assert messages_of(source) == messages


@pytest.mark.parametrize(
    "source",
    [
        "raise ValueError(str(error))",
        'raise ValueError("%s: %s" % (a, b))',
        'def f(text):\n  raise ValueError(text)\ntext = "module"',
        "raise ValueError",
        "raise ValueError()",
    ],
)
def test_without_readable_text_only_the_class_is_known(source) -> None:
    assert [(site.cls, site.message) for site in sites_of(source)] == [("ValueError", "")]


@pytest.mark.parametrize("source", ["raise", "raise error", "def f(error):\n  raise error", "raise errors[0]"])
def test_raising_what_came_from_elsewhere_is_no_site(source) -> None:
    assert sites_of(source) == ()


def test_the_line_of_an_exception_built_first_is_that_of_its_raise() -> None:
    (site,) = sites_of('def f():\n    error = ValueError("no stock left")\n    close()\n    raise error\n')
    assert (site.line, site.deferred) == (4, False)


def test_an_exception_that_another_function_will_raise_is_deferred() -> None:
    (site,) = sites_of('def f(future):\n    future.set_exception(ValueError("no stock left"))\n')
    assert (site.message, site.cls, site.deferred) == ("no stock left", "ValueError", True)
