"""Placeholders of message templates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.messages import fill_message, split_message


def placeholders(message: str) -> list[str]:
    return [segment.text for segment in split_message(message) if segment.kind == "placeholder"]


@pytest.mark.parametrize(
    "placeholder",
    [
        "{name}", "{}", "{0}", "{x!r}", "{a.b:>5}", "{items[0]}", "{:?}", "{:#?}", "{!r}", "{len(x)}", "{f(a, b)}",
        "{', '.join(names)}", "{0,10:N}", "{count, plural, one {# item} other {# items}}", "{x:{width}}", "{{name}}",
        "{{ name }}", "${expr}", "${}", "${fn({a: 1})}", "#{name}", "%s", "%d", "%(name)s", "%-10.3f", "%5d", "%lu",
        "%zu", "%1$s", "%[2]d", "%+v", "%#v", "%w", "%q", "%T", "%@", "%*d",
    ],
)  # fmt: skip
def test_placeholders_of_many_languages_are_found(placeholder):
    assert placeholders(f"before {placeholder} after") == [placeholder]
    assert placeholders(placeholder) == [placeholder]


@pytest.mark.parametrize(
    "message",
    [
        "", "plain text", "100%", "100% sure", "100%done", "%%s", "the %run command", "a%20b", "%2Fpath", "%2e%2e",
        '{"key": 1}', "{'key': 1}", "{a, b}", "{", "}", "{x", "${x", "$name", "{\n}", "{ }", "$ {",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_placeholder_is_text(message):
    assert placeholders(message) == []


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("timeout of %dms exceeded", ["%d"]),
        ("{a}{b}%s", ["{a}", "{b}", "%s"]),
        ("%%%s", ["%s"]),
        ('expected {"a": 1} got {x}', ["{x}"]),
        ("{{}}", ["{}"]),
        ("{a" * 7 + "}" * 7, ["{a{a{a{a{a{a}}}}}}"]),
    ],
)
def test_placeholders_stand_where_they_stand(message, found):
    assert placeholders(message) == found


def test_filling_replaces_every_placeholder():
    assert fill_message("{name}: %s of ${n}", "7") == "7: 7 of 7"


@given(st.text(alphabet="{}%$#()[]!:'\" ,.ans01\n", max_size=60))
def test_the_parts_join_back_to_the_message(message):
    segments = split_message(message)
    assert "".join(segment.text for segment in segments) == message
    assert all(segment.text for segment in segments)


@pytest.mark.parametrize("unit", ["{", "{a", "%", "%(", "${", "{'", "{(a", "%0", "{a,", "{[(}"])
def test_hostile_messages_come_back_whole(unit):
    message = unit * 20_000
    assert "".join(segment.text for segment in split_message(message)) == message


def test_a_message_of_megabytes_is_looked_at_as_far_as_a_real_one_goes():
    message = "{a}" + "x" * 60_000 + "{b}"
    assert placeholders(message) == ["{a}"]
    assert "".join(segment.text for segment in split_message(message)) == message
