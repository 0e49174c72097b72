"""Finding is complete: what RE2 finds by trying every pattern is found, and marked as strict, and nothing else is."""

from __future__ import annotations

import os
import random
import re
import time

import pytest
import re2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.matching.index.segments import compile_pattern, required_literals
from tests.matching.index_texts import brute_force, index_of, pattern_of

pytestmark = pytest.mark.no_db_matrix

MANY = settings(max_examples=10_000 if os.environ.get("KB_SOAK") == "1" else 150)
# Few letters, so that segments overlap, repeat and nearly fit.
_PIECES = [*"ab .\n'\"`-–’…\u00a0é\u200b", "ab", "ba", "abab", "\r\n", "错误"]
_LETTERS = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)
_WORDS = st.lists(st.sampled_from([*_PIECES, "connection", "refused", "timeout", "no such file"]), max_size=6).map(
    "".join
)
_PART = st.one_of(_LETTERS, _WORDS)
_PATTERNS = st.lists(st.lists(_PART, min_size=1, max_size=4).map(pattern_of), min_size=1, max_size=6, unique=True)
_OTHER = st.sampled_from(
    [
        *(r"^abab$", r"(?i)CONNECTION refused", r"connection|timeout", r"connection \d+ refused"),
        *(r"(?:connection )?refused now", r"time[a-z]+out", r"[^a]+abab", r"no such file(?P<x>.*)ab"),
        *(r"\Qa.b\E connection", r"(?s)connection.+refused", r"connection{2}", r"connection {x|y}refused"),
        *(r"(unclosed connection", r"connection\b.*refused", r"timeout(?=x)", r"\x61babab timeout"),
        *(r"\bconnection\z", r"refused++", r"(ab)+connection", r"connectio(n| timeout) ?refused"),
    ]
)
_VALUE = st.one_of(st.sampled_from(["", "x", "x\ny", " ", "a", "/tmp/a b"]), _LETTERS)


def is_large(pattern: str) -> bool:
    """Whether finding promises anything for a pattern: six literal characters."""
    return not compile_pattern(pattern).is_small


def strict_by_trying(patterns: list[str], text: str) -> set[str]:
    """What finding must mark as strict: what RE2 finds, and literally what RE2 does not take."""
    usable = [pattern for pattern in patterns if is_large(pattern)]
    refused = {pattern for pattern in usable if compile_pattern(pattern).kind == "refused"}
    return brute_force([pattern for pattern in usable if pattern not in refused], text) | {
        pattern for pattern in refused if pattern in text
    }


def check(patterns: list[str], text: str) -> None:
    """The strict part of what is found is what trying finds."""
    index = index_of(patterns)
    wanted = strict_by_trying(patterns, text)
    assert {index.pattern_text(number) for number in index.strict(text)} == wanted
    found = index.find(text)
    assert {index.pattern_text(one.pattern) for one in found if one.strict} == wanted
    for one in found:
        assert 0 <= one.start <= one.end <= len(text)
        assert all(0 <= start <= end <= len(text) for start, end in one.gaps)
        assert one.matched <= one.literals


@st.composite
def texts_for(draw: st.DrawFn) -> tuple[list[str], str]:
    """Patterns, and a text that holds some of their parts with something between them."""
    edge = st.sampled_from(([], [], [""], ["", ""]))
    parts = [
        [*draw(edge), *draw(st.lists(_PART, min_size=1, max_size=4)), *draw(edge)]
        for _ in range(draw(st.integers(1, 6)))
    ]
    chosen = draw(st.lists(st.sampled_from(parts), max_size=3))
    text = draw(st.one_of(st.just(""), _LETTERS))
    for one in chosen:
        text += draw(_VALUE).join(one) + draw(st.sampled_from(["", "\n", " "]))
    return list(dict.fromkeys(map(pattern_of, parts))), text + draw(_LETTERS)


@given(texts_for())
@example((["(.+?)connection", "connection(.+?)", "(.+?)(.+?)refused"], "connection\nxrefused"))
@example((["(.+?)connection(.+?)"], "connection\nxconnection\nconnectiony\nxconnectiony"))
@MANY
def test_the_strict_part_equals_trying_all(case: tuple[list[str], str]) -> None:
    """Literals with gaps, against texts made of their parts."""
    check(*case)


@given(_PATTERNS, st.lists(_OTHER, max_size=4, unique=True), st.one_of(_LETTERS, _WORDS))
@example([], [r"connection|timeout"], "timeout")
@example([], [r"connection {x|y}refused"], "y}refused")
@MANY
def test_expressions_are_found_too(patterns: list[str], others: list[str], text: str) -> None:
    """Anything that is no literal with gaps goes to RE2, under literals that it needs or on every text."""
    check([*patterns, *(other for other in others if other not in patterns)], text)


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        (r"connection \d+ refused", ()),
        (r"^connection refused$", ("connection refused",)),
        (r"connection .* refused", ("connection ", " refused")),
        (r"connections? refused", ("connection", " refused")),
        (r"connection+ refused", ("connection", " refused")),
        (r"ab[cd]ef", ("ab", "ef")),
        (r"ab(?:cd|x)?ef", ("ab", "ef")),
        (r"a|b", ()),
        (r"(?i)abcdefgh", ()),
        (r"abcd(?i)efgh", ()),
        (r"a\.b{2}c", ("a.", "c")),
        (r"\Qabc\E", ()),
        (r"abc {x|y}", ()),
    ],
)
def test_required_literals(pattern: str, required: tuple[str, ...]) -> None:
    """Only what every match must hold."""
    assert required_literals(pattern) == required


@pytest.mark.parametrize(
    ("pattern", "text", "taken"),
    [
        (r"Request (.+?) failed with (.+?)", "x\nRequest GET / failed with 503 now\ny", ["GET /", "503 now"]),
        (r"(.+?) is not a function", "TypeError: a.b is not a function", ["TypeError: a.b"]),
        (r"key (.+?) missing", "key 'a b' missing", ["'a b'"]),
    ],
)
def test_gaps_say_what_they_took(pattern: str, text: str, taken: list[str]) -> None:
    """In the text as it was given."""
    (found,) = index_of([pattern]).find(text)
    assert found.strict
    assert [text[start:end] for start, end in found.gaps] == taken


@pytest.mark.parametrize(
    ("pattern", "text", "taken"),
    [
        (r"Could not read file: (.+?)", "Could not read file: ", [""]),
        (r"Could not read file: (.+?)", "Could not read “file”:\n  gone\nmore", ["gone"]),
        (r"Request (.+?) failed with (.+?) at (.+?)\.", "Request a\nb failed with c\nat d.", ["a\nb", "c", "d"]),
        (r"Missing key (.+?) in table", "Missing `key` in\n  'table'", [""]),
    ],
)
def test_wide_fits(pattern: str, text: str, taken: list[str]) -> None:
    """Empty gaps, gaps over line breaks, other white space, left-out quotes."""
    (found,) = index_of([pattern]).find(text)
    assert (found.strict, found.partial, found.matched) == (False, False, found.literals)
    assert [text[start:end] for start, end in found.gaps] == taken


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"The configuration could not be loaded\. Set TOOL_HOME to (.+?)", "The configuration could not be loaded."),
        (
            r"Expected a list of (.+?) but received (.+?) elements for the argument",
            "Expected a list of numbers but rec",
        ),
        (r"You must give exactly one of these two arguments", "ValueError: You must give exactly one of th"),
        (r"Unknown option (.+?); try again", "Unknown option foo; try a\nnext line"),
    ],
)
def test_beginnings(pattern: str, text: str) -> None:
    """A first sentence, and a text that is cut off."""
    (found,) = index_of([pattern]).find(text)
    assert (found.strict, found.partial) == (False, True)
    assert found.matched < found.literals


def test_small_patterns_never_match() -> None:
    """Fewer than six literal characters say nothing."""
    index = index_of([r"(.+?)", r"(.+?): (.+?)", r"a\.b", ".*", ""])
    assert index.find("a.b: c") == []


def test_hostile_patterns_cost_no_more_than_reading() -> None:
    """Patterns and texts that keep ``re`` busy for seconds: time grows with the text, not with its square."""
    pattern = "(.+?)".join(["aaaaaaaa"] + ["a"] * 12 + ["never"])
    index = index_of([pattern, "(.+?)" * 40 + "unseen text"])

    def seconds(size: int) -> float:
        text = "a" * size
        runs = []
        for _ in range(3):
            begin = time.process_time()
            index.find(text)
            runs.append(time.process_time() - begin)
        return min(runs)

    seconds(1_000)
    assert seconds(200_000) < 60 * max(seconds(20_000), 0.0005)


_SYLLABLES = [
    *("con", "nec", "tion", "re", "fused", "time", "out", "in", "valid", "to", "ken", "miss", "ing", "file"),
    *("not", "found", "par", "ser", "er", "ror", "un", "ex", "pect", "ed"),
]


def made(rng: random.Random, patterns: int, texts: int) -> tuple[list[str], list[str]]:
    """Patterns like those of records, and texts that hold some of them filled in."""

    def words(count: int) -> str:
        return " ".join("".join(rng.choices(_SYLLABLES, k=rng.randint(1, 3))) for _ in range(count))

    made_parts = [[words(rng.randint(1, 4)) for _ in range(rng.randint(1, 3))] for _ in range(patterns)]
    made_texts = []
    for _ in range(texts):
        lines = [words(rng.randint(1, 9)) for _ in range(rng.randint(0, 30))]
        for _ in range(rng.randint(0, 3)):
            value = rng.choice(["x", "'a b'", "12", ""])
            lines.insert(rng.randint(0, len(lines)), f" {value} ".join(rng.choice(made_parts)))
        made_texts.append("\n".join(lines))
    return sorted({pattern_of([f"{part} " for part in parts]) for parts in made_parts}), made_texts


def compare(patterns: list[str], texts: list[str]) -> None:
    """Finding and trying all give the same strict sets."""
    index = index_of(patterns)
    large = [pattern for pattern in patterns if is_large(pattern)]
    tried = [re2.compile(pattern) for pattern in large]
    for text in texts:
        wanted = {pattern for pattern, expression in zip(large, tried, strict=True) if expression.search(text)}
        assert {index.pattern_text(number) for number in index.strict(text)} == wanted
        assert {index.pattern_text(one.pattern) for one in index.find(text) if one.strict} == wanted


def test_many_patterns_and_texts(soak: bool) -> None:
    """200 texts against 3,000 patterns, or 2,000 against 200,000."""
    compare(*made(random.Random(1), *((200_000, 2_000) if soak else (3_000, 200))))


def test_re_and_re2_agree_on_what_is_strict() -> None:
    """The oracle is what other programs would use."""
    for pattern, text in (("a(.+?)b", "a\nb axb"), ("x(.+?)", "x\n"), ("é(.+?)错", "é1错")):
        assert bool(re.search(pattern, text)) == bool(re2.search(pattern, text))
