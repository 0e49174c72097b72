"""What interpreters say themselves, told from what libraries say."""

from __future__ import annotations

import pytest

from kb.matching.runtime import is_runtime_message, is_universal_message

_RAISED = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
)


def _provoke(source: str) -> str:
    try:
        exec(source, {})
    except _RAISED as error:
        return str(error)
    raise AssertionError(source)


@pytest.mark.parametrize(
    "source",
    [
        "None.x",
        "int('x')",
        "[][1]",
        "()[1]",
        "'a' + 1",
        "1 + 'a'",
        "None()",
        "None[0]",
        "for _ in 3: pass",
        "x",
        "1 / 0",
        "a, b = 1",
        "a, b = 1, 2, 3",
        "a, b = [1]",
        "(lambda: 0)(1)",
        "(lambda a: 0)()",
        "(lambda: 0)(b=1)",
        "import no_such_module",
        "from os import no_such_name",
        "{[]: 1}",
        "float('x')",
        "b'\\xff'.decode()",
        "open('/no/such/file')",
        "1 in 3",
        "len(3)",
        "[1, 2] < 3",
        "[].pop()",
        "x = 'abc'; x['a']",
        "(1).append(2)",
        "(1,)[0] = 2",
        "','.join([1])",
        "def f():\n    y\n    y = 1\nf()",
        "eval('a b')",
    ],
)
def test_what_the_interpreter_says(source: str) -> None:
    assert is_runtime_message(_provoke(source)), _provoke(source)


@pytest.mark.parametrize(
    "message",
    [
        "Cannot read properties of undefined (reading 'map')",
        "connect ECONNREFUSED 127.0.0.1:5432",
        "ENOENT: no such file or directory, open 'x'",
        "[Errno 111] Connection refused",
        "called `Option::unwrap()` on a `None` value",
        "runtime error: invalid memory address or nil pointer dereference",
        "Object reference not set to an instance of an object.",
        "undefined method `name' for nil:NilClass",
        "Call to a member function foo() on null",
    ],
)
def test_what_other_runtimes_say(message: str) -> None:
    assert is_runtime_message(message)


@pytest.mark.parametrize(
    "message",
    [
        "Every sample must have a weight",
        "The client must be connected before it can be used",
        "ERR_BAD_RESPONSE: the server answered in another format",
        "Index name invalid",
        "Unknown task type: mail.send",
        "Invalid value for option --jobs: must be positive",
        "Cannot start a new session while one is open",
        "Can only sort rows that have a key",
        "ECDSA curve name does not match the key",
        "Cannot access the session after it was closed",
        "Too many values for option --jobs",
    ],
)
def test_what_libraries_say(message: str) -> None:
    assert not is_runtime_message(message)


@pytest.mark.parametrize("message", ["null", "Not found", "'Permission denied'", "  Failed. ", ""])
def test_universal_words(message: str) -> None:
    assert is_universal_message(message)
    assert not is_universal_message(f"{message} while reading the index")
