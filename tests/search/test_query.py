"""The query language: what each text means, and what is said about a wrong one."""

from __future__ import annotations

import pytest

from kb.search import tuning
from kb.search.query import FIELDS, parse, read_filters


def _words(text):
    return [(word.text, word.phrase, word.negated) for word in parse(text).words]


def _filters(text):
    return [(entry.name, entry.value, entry.negated) for entry in parse(text).filters]


def _codes(text):
    return [problem.code for problem in parse(text).problems]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("   \t\n", []),
        ("timeout exceeded", [("timeout", False, False), ("exceeded", False, False)]),
        ('"timed out" x', [("timed out", True, False), ("x", False, False)]),
        ('-socket -"timed out"', [("socket", False, True), ("timed out", True, True)]),
        ("exit -1 --flag - x", [(w, False, False) for w in ("exit", "-1", "--flag", "-", "x")]),
        ("std::bad_alloc", [("std::bad_alloc", False, False)]),
        ("localhost:8080 https://x.org/a", [("localhost:8080", False, False), ("https://x.org/a", False, False)]),
        ("TypeError: x", [("TypeError:", False, False), ("x", False, False)]),
        ("file:///etc/passwd", [("file:///etc/passwd", False, False)]),
        ('""', []),
        ('say "', [("say", False, False)]),
        ("a\ud800b", [("a\ufffdb", False, False)]),
    ],
)
def test_words(text, words):
    assert _words(text) == words
    assert _filters(text) == []


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("repo:Axios/Axios", [("repo", "axios/axios", False)]),
        ("lang:Python LANGUAGE:go", [("language", "python", False), ("language", "go", False)]),
        ("-tag:network", [("tag", "network", True)]),
        ('class:"Some  Class"', [("class", "some class", False)]),
        ("type:error-code", [("type", "error_code", False)]),
        ("strategy:type_guard", [("strategy", "type-guard", False)]),
        ("http:404 http:5XX", [("http", "404", False), ("http", "5xx", False)]),
        ("id:12C38BB1AFED0EC1", [("id", "12c38bb1afed0ec1", False)]),
        ("file:src/a.py", [("file", "src/a.py", False)]),
        ("status:all", [("status", "all", False)]),
    ],
)
def test_filters(text, filters):
    assert _filters(text) == filters
    assert _words(text) == []
    assert _codes(text) == []


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("sevrity:error", "unknown_field", "severity"),
        ("author:me", "unknown_field", ", ".join(FIELDS)),
        ("severity:fatal", "unknown_value", "critical, error, warning, info"),
        ("severity:eror", "unknown_value", "Did you mean “error”? The values"),
        ("status:404", "unknown_value", "http:404"),
        ("id:12", "invalid_value", "16 hexadecimal digits"),
        ("http:777", "invalid_value", "100 to 599"),
        ('say "hello', "unbalanced_quote", "not closed"),
        ('code:""', "invalid_value", "empty"),
        ("code:" + "x" * 400, "invalid_value", "300 characters"),
        ("x" * 3000, "too_long", "2,000"),
        ("a " * 40, "too_many_words", "32"),
        ("tag:a " * 50, "too_many_filters", "40"),
    ],
)
def test_problems(text, code, said):
    problems = [problem for problem in parse(text).problems if problem.code == code]
    assert problems
    assert said in problems[0].message


def test_a_problem_says_where_it_is():
    text = "timeout  severity:fatal"
    (problem,) = parse(text).problems
    assert text[problem.position :].startswith("severity:fatal")
    assert problem.value == "fatal"


def test_an_unknown_field_is_searched_as_words():
    assert _words("sevrity:error timeout") == [("sevrity:error", False, False), ("timeout", False, False)]


@pytest.mark.parametrize("text", ['author:"me too"', 'AA:"0'])
def test_what_is_no_filter_stays_as_written(text):
    assert parse(text).plain == text


def test_an_open_quotation_mark_leaves_the_words():
    assert _words('"timed out') == [("timed", False, False), ("out", False, False)]


def test_plain_leaves_out_filters_and_exclusions():
    assert parse('repo:a/b  "timed  out" -x   y').plain == "timed out y"


def test_problems_are_few_and_limits_are_told_once():
    assert _codes("tag:a " * 100) == ["too_many_filters"]
    assert len(_codes("author:me " * 100)) == tuning.MAX_PROBLEMS + 1


def test_limits_hold():
    query = parse("word " * 1000 + "tag:a " * 100)
    assert len(query.words) == tuning.MAX_WORDS
    assert len(query.text) == tuning.MAX_QUERY_CHARACTERS


def test_other_values_of_the_data_are_legal():
    query = parse("type:io", values={"type": ("exception", "io")})
    assert [entry.value for entry in query.filters] == ["io"]
    assert query.problems == ()


def test_filters_beside_the_text_are_limited():
    filters, problems = read_filters({"tag": ["a"] * 1000})
    assert len(filters) == tuning.MAX_FILTERS
    assert [problem.code for problem in problems] == ["too_many_filters"]


def test_filters_beside_the_text_follow_the_same_rules():
    filters, problems = read_filters({"repository": ["Axios/Axios"], "severity": ["error", "fatal"], "nope": ["x"]})
    assert [(entry.name, entry.value, entry.position) for entry in filters] == [
        ("repo", "axios/axios", None),
        ("severity", "error", None),
    ]
    assert [problem.code for problem in problems] == ["unknown_value", "unknown_field"]
