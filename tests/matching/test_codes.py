"""Codes of any shape in a text, and the equal forms of numeric ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.matching.traces.codes import codes_in, equal_codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Error [ERR_MODULE_NOT_FOUND]: Cannot find module", ("ERR_MODULE_NOT_FOUND",)),
        ("code: 'UND_ERR_CONNECT_TIMEOUT'", ("UND_ERR_CONNECT_TIMEOUT",)),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed", ("CERTIFICATE_VERIFY_FAILED",)),
        ("read ECONNRESET", ("ECONNRESET",)),
        ("getaddrinfo EAI_AGAIN registry", ("EAI_AGAIN",)),
        ("Connection refused (Errno::ECONNREFUSED)", ("ECONNREFUSED",)),
        ("error[E0382]: borrow of moved value", ("E0382",)),
        ("ORA-00942: table or view does not exist", ("ORA-00942",)),
        ("DPY-6005: cannot connect\nORA-12541: no listener", ("DPY-6005", "ORA-12541")),
        ("src/a.ts(3,5): error TS2345: Argument", ("TS2345",)),
        ("Program.cs(3,5): error CS0103: The name", ("CS0103",)),
        ("main.cpp(3): error C2065: 'x': undeclared", ("C2065",)),
        ("error LNK2019: unresolved external symbol", ("LNK2019",)),
        ("app.py:1:80: E501 line too long", ("E501",)),
        ("(fields.E304) Reverse accessor clashes", ("fields.E304",)),
        ("MongoServerError: E11000 duplicate key", ("E11000",)),
        ("Firebase: Error (auth/invalid-email).", ("auth/invalid-email",)),
        ("relation does not exist (SQLSTATE 42P01)", ("42P01",)),
        ("SQLSTATE[42S02]: Base table or view not found", ("42S02",)),
        ("SQL state: 42P01", ("42P01",)),
        ("  code: '42P01',", ("42P01",)),
        ("ERROR 1045 (28000): Access denied", ("28000",)),
        ("[42S02] [Microsoft][ODBC Driver 18 for SQL Server]", ("42S02",)),
        ("[Errno 2] No such file", ("Errno 2", "ENOENT")),
        ("[Errno 111] Connection refused", ("Errno 111",)),
        ("No such file or directory (os error 2)", ("os error 2",)),
        ("[WinError 5] Access is denied", ("WinError 5", "0x80070005", "-2147024891", "2147942405")),
        ("rpc error: code = NotFound desc = no such", ("NotFound",)),
        ("An error occurred (AccessDenied) when calling the", ("AccessDenied",)),
        ("[type=string_too_short, input_value='']", ("string_too_short",)),
        ("visit https://errors.example.org/2.10/u/typed-dict-version", ("typed-dict-version",)),
        ("(Background on this error at: https://short.example/e/20/ab3c)", ("ab3c",)),
        ("code: -32601, message", ("-32601", "0xFFFF80A7", "4294934695")),
        ("{ code: 11000 }", ("11000",)),
        ("first ENOENT then EPERM then ENOENT", ("ENOENT", "EPERM")),
    ],
)
def test_finds(text: str, codes: tuple[str, ...]) -> None:
    assert codes_in(text) == codes


@pytest.mark.parametrize(
    "text",
    [
        "(HRESULT: 0x80040154)",
        "returned -2147221164",
        "HRESULT 0X80040154",
        "error 2147746132",
        "hr=0x80040154L",
        "(-2147221164, 'Class not registered')",
    ],
)
def test_finds_a_number_in_every_base_and_sign(text: str) -> None:
    assert {"0x80040154", "-2147221164", "2147746132"} <= set(codes_in(text))


def test_a_system_fault_is_told_without_a_word_before() -> None:
    assert codes_in("Process finished: 3221225477") == ("3221225477", "0xC0000005", "-1073741819")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no codes here, just 5 words and 404 numbers",
        "exit code 1",
        "Status code: 404",
        "2024-01-01T10:22:33Z",
        "version 1.2.3, python3.11, v1234",
        "<Thing object at 0x7f8a9c0d1234>",
        "instruction at 0x80040154",
        "commit 5f1c8a9b3d2e4f60718293a4b5c6d7e8f9012345",
        "DEADBEEF1234",
        "ISO-8601 and SHA-256 and UTF-16 and RFC2616 and RS256",
        "DATABASE_URL is set in MY_SETTINGS",
        "INT_MIN is -2147483648 and 2147483648 is above",
        "ERROR FATAL EXCEPTION EMPTY",
        "src/my-file and node_modules/some-package",
        "the error code was returned, see the source code for details",
        "https://example.org/wiki/some-page",
        "a 10.0.0.1:5432 b 12345 c 99999",
        "550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_finds_nothing_in(text: str) -> None:
    assert codes_in(text) == ()


@pytest.mark.parametrize(
    ("code", "equal"),
    [
        ("-2147221164", ("-2147221164", "0x80040154", "2147746132")),
        ("0x80040154", ("0x80040154", "-2147221164", "2147746132")),
        ("0xc0000005", ("0xc0000005", "0xC0000005", "-1073741819", "3221225477")),
        ("0x5", ("0x5",)),
        ("Errno 13", ("Errno 13", "EACCES")),
        ("ENOENT", ("ENOENT",)),
        ("404", ("404",)),
        ("99999999999999999999", ("99999999999999999999",)),
        ("-99999999999", ("-99999999999",)),
        ("²", ("²",)),
        ("Errno ²", ("Errno ²",)),
        ("", ("",)),
    ],
)
def test_equal_forms(code: str, equal: tuple[str, ...]) -> None:
    assert equal_codes(code) == equal


@given(st.integers(min_value=1 << 31, max_value=(1 << 32) - 1))
def test_every_form_of_a_number_has_the_same_forms(value: int) -> None:
    forms = set(equal_codes(str(value)))
    assert len(forms) == 3
    for form in forms:
        assert set(equal_codes(form)) == forms


words = st.sampled_from(
    [
        "code",
        "Errno",
        "SQLSTATE",
        "0x",
        "-",
        "2147221164",
        " ",
        "[",
        "]",
        "(",
        "/",
        ".",
        "E",
        "0382",
        "_",
        "ERR",
        "\ud800",
        "²",
    ]
)


@given(st.one_of(st.text(), st.lists(words, max_size=30).map("".join)))
def test_never_raises_and_gives_each_code_once(text: str) -> None:
    codes = codes_in(text)
    assert len(set(codes)) == len(codes)
    for code in codes:
        assert equal_codes(code)[0] == code


@pytest.mark.parametrize("unit", ["a", "A1", "-", "a.", "E0", "code: ", "0x80", "[", "_", "\x00", "9", "e/"])
def test_takes_linear_time(unit: str) -> None:
    text = unit * (10_000_000 // len(unit))
    begin = time.perf_counter()
    codes_in(text)
    assert time.perf_counter() - begin < 1
