"""The snippet of a site: whole lines of the file around the statement, at most 40, cut at the borders of blocks."""

from __future__ import annotations

import pytest

from kb.harvest.facts import Site
from kb.harvest.reading import read_source

HIT = 'raise ValueError("no stock left")'
FILLING = [f"value_{number} = {number}" for number in range(60)]


def site_of(lines: list[str]) -> Site:
    facts = read_source("\n".join(lines).encode(), package="shop", relative="shop/orders.py")
    (site,) = facts.sites
    snippet = site.snippet.split("\n")
    assert snippet == lines[site.snippet_start - 1 : site.snippet_end], "the snippet is what the file has there"
    assert len(snippet) <= 40
    assert site.snippet_start <= site.line <= site.snippet_end
    return site


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def test_a_short_function_is_shown_whole_with_its_decorators() -> None:
    site = site_of(["import x", "", "@x.y", "def sell():", "    value = 1", f"    {HIT}", "", "other = 1"])
    assert (site.snippet_start, site.snippet_end) == (3, 6)


def test_of_a_long_function_the_block_and_its_neighbors_are_shown() -> None:
    site = site_of(["def sell():", *_indented([*FILLING, "if x:", f"    {HIT}", *FILLING])])
    snippet = site.snippet.split("\n")
    assert "    if x:" in snippet
    assert snippet[0].startswith("    value_")


def test_a_block_is_not_cut_in_two() -> None:
    long = ["if x:", *_indented(FILLING[:30])]
    site = site_of(["def sell():", *_indented([*long, "if y:", f"    {HIT}", *long])])
    assert site.snippet.split("\n") == ["    if y:", f"        {HIT}"]


def test_a_statement_longer_than_that_is_shown_from_its_start() -> None:
    site = site_of(["raise ValueError(", '    "no stock left",', *(f"    {number}," for number in range(60)), ")"])
    assert (site.snippet_start, site.snippet_end) == (1, 40)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_are_counted_as_python_does(end) -> None:
    source = end.join(["x = 1", 'y = "\x0c\u2028"', f"def f():{end}    {HIT}"])
    (site,) = read_source(source.encode(), package="shop", relative="shop/orders.py").sites
    assert (site.line, site.snippet) == (4, f"def f():\n    {HIT}")


def test_lines_of_any_length_are_not_shown() -> None:
    source = f"x = {'1' * 4000!r}; y = {'1' * 5000!r}; {HIT}"
    (site,) = read_source(source.encode(), package="shop", relative="shop/orders.py").sites
    assert (site.snippet, site.message) == ("", "no stock left")
