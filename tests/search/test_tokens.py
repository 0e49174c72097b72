"""Text into tokens."""

from __future__ import annotations

import pytest

from kb.search.tokens import Unit, class_labels, grams, humps, identifier_parts, unit_list, unspaced_runs, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ERR_BAD_RESPONSE", ["err", "bad", "response"]),
        ("NullPointerException", ["nullpointerexception"]),
        ("foo.bar()", ["foo", "bar"]),
        ("/usr/lib/python3.11/x.py", ["usr", "lib", "python3", "11", "x", "py"]),
        ("Café STRASSE Straße", ["cafe", "strasse", "strasse"]),
        ("ＥＲＲ＿１", ["err", "1"]),
        ("无法打开path", ["无法打开", "path"]),
        ("x" * 100 + " y", ["y"]),
        ("->", []),
    ],
)
def test_words(text, found):
    assert words(text) == found


@pytest.mark.parametrize(
    ("identifier", "found"),
    [
        ("HTTPServerError", ["http", "server", "error"]),
        ("NullPointerException", ["null", "pointer", "exception"]),
        ("getURL2", ["get", "url", "2"]),
        ("E0382", ["e", "0382"]),
        ("plain", ["plain"]),
    ],
)
def test_humps(identifier, found):
    assert humps(identifier) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A plain Sentence WITH 42 words.", []),
        ("throws NullPointerException", ["null pointer exception"]),
        ("HTTPServerError x2 4k", ["http server error", "x 2", "4 k"]),
        ("fooBar fooBar", ["foo bar"]),
        ("snake_case someThing_else", ["some thing"]),
        ("A1 ABc aB", ["a 1", "a bc", "a b"]),
    ],
)
def test_identifier_parts(text, found):
    assert identifier_parts(text) == found


def test_grams_of_a_run():
    assert grams("打开文件") == ("打开", "开文", "文件")
    assert grams("件") == ("件",)


def test_unspaced_runs_are_folded():
    assert unspaced_runs("read ﾊﾝﾄﾞﾙ and 文件") == ["ハンドル", "文件"]
    assert unspaced_runs("plain") == []


@pytest.mark.parametrize(
    ("word", "units"),
    [
        ("timeout", [Unit(words=("timeout",), parts=("timeout",))]),
        ("NullPointer", [Unit(words=("nullpointer",), parts=("null", "pointer"))]),
        ("err_bad", [Unit(words=("err", "bad"))]),
        ("打开file", [Unit(grams=("打开",)), Unit(words=("file",), parts=("file",))]),
        ("{}", []),
    ],
)
def test_units_of_a_query(word, units):
    assert unit_list(word) == units


@pytest.mark.parametrize(
    ("error_class", "labels"),
    [
        ("AxiosError", ("axioserror",)),
        ("requests.exceptions.ConnectionError", ("requests.exceptions.connectionerror", "connectionerror")),
        ("std::out_of_range", ("std::out_of_range", "out_of_range")),
        ("App\\Exceptions\\NotFound", ("app\\exceptions\\notfound", "notfound")),
        ("odd.", ("odd.",)),
    ],
)
def test_class_labels(error_class, labels):
    assert class_labels(error_class) == labels
