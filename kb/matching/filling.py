"""A message with its placeholders filled as a program might fill them: the text that a user would paste.

The values follow from the placeholder's verb, its conversion, and the words of its name; equal messages give equal
texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kb.records.messages import split_message

__all__ = ["filled_message", "literal_characters", "own_text"]

_NUMBERS: Final = ("42", "7", "1024", "3", "8080")
_NAMES: Final = ("user_name", "main", "alpha", "orders", "value1")
_QUOTED: Final = ("'user_name'", "'main'", "'alpha'", "'orders'", "'value1'")

# What a printf verb prints.
_VERBS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys("diu", _NUMBERS),
    **dict.fromkeys("feEgGaA", ("2.5", "0.125", "30.0")),
    **dict.fromkeys("xX", ("1f", "c0de", "7f3a")),
    **dict.fromkeys("q", ('"user_name"', '"main"', '"alpha"')),
    **dict.fromkeys("r", _QUOTED),
    "p": ("0xc000010250",),
    "T": ("*config.Settings", "string"),
    "c": ("x", ":"),
    "t": ("true", "false"),
    "U": ("U+00E9",),
    "b": ("101",),
    "o": ("644",),
    "w": ("the operation was canceled halfway",),
}

# What a word of a name tells about the value.
_TOLD: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "id count num number n i j len length size line lineno col column index idx pos offset code status port pid",
        _NUMBERS,
    ),
    ("timeout seconds secs ms limit max min total attempts retries depth width height year day bytes", _NUMBERS),
    ("exitcode returncode errno ndim dim dims rank", _NUMBERS),
    (
        "path file filename filepath dir directory folder src dest dst fn fname root cwd",
        ("/srv/app/settings.yaml", "data/input.csv", "/var/lib/app"),
    ),
    ("url uri href endpoint link", ("https://api.example.org/v1/items", "https://example.org/")),
    ("host hostname domain server address addr", ("db.example.org", "cache.example.org")),
    ("ip", ("192.0.2.10",)),
    ("version ver", ("2.4.1", "3.11")),
    ("date time datetime timestamp when", ("2026-03-01T10:20:30Z",)),
    ("cls class type typename klass kind dtype", ("str", "Settings", "int64")),
    (
        "names keys fields columns choices options allowed valid values args items list types",
        ("'alpha', 'beta'", "['alpha', 'beta']"),
    ),
    (
        "err error e ex exc exception reason cause detail details msg message text output stderr why",
        ("the operation was canceled halfway",),
    ),
    ("method verb", ("GET", "fetch_items")),
    ("cmd command", ("build --all",)),
    ("shape", ("(3, 4)",)),
    ("email mail", ("someone@example.org",)),
    ("bool flag enabled", ("true",)),
)
_VALUES: Final = {word: values for words, values in _TOLD for word in words.split()}

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_FORMAT: Final = re.compile(r"[:.%,<>=^+\-#0-9_ ]*([a-zA-Z%])?")
_PANICS: Final = frozenset(("panic", "panicked"))
_LONGEST: Final = 200  # characters of a placeholder that are looked at


def own_text(message: str, cls: str | None, language: str | None = None) -> str:
    """What a record's error looks like when it is printed: its message, filled, behind its class if it has one.

    A panic of Rust stands below the line that says so, as no other language prints it.
    """
    text = filled_message(message)
    if language == "Rust" and cls is not None and cls.rstrip("!").lower() in _PANICS:
        return f"thread 'main' panicked at src/main.rs:12:9:\n{text}"
    return f"{cls}: {text}" if cls else text


def filled_message(message: str) -> str:
    """The message with plausible values, not two equal ones beside each other."""
    return "".join(_pieces(message))


def literal_characters(message: str) -> int:
    """How many characters of a message are not blank and not part of a placeholder."""
    return sum(len("".join(part.text.split())) for part in split_message(message) if part.kind == "text")


def _pieces(message: str) -> Iterator[str]:
    number = 0
    for part in split_message(message):
        if part.kind == "text":
            yield part.text
        else:
            values = _values(part.text[:_LONGEST])
            yield values[number % len(values)]
            number += 1


def _values(placeholder: str) -> tuple[str, ...]:
    if placeholder.startswith("%"):
        verb = placeholder[-1]
        return _VERBS.get(verb) or _by_name(placeholder[2:].partition(")")[0] if "(" in placeholder else "")
    inside = placeholder.strip("$#{}").strip()
    expression, _, form = inside.partition(":")
    name, _, conversion = expression.partition("!")
    if conversion[:1] in {"r", "a"} or form.endswith("?"):
        return _QUOTED
    letter = _FORMAT.match(form.strip())
    if letter and letter[1] in _VERBS:
        return _VERBS[letter[1]]
    return _by_name(name)


def _by_name(name: str) -> tuple[str, ...]:
    """Values for a name or an expression; its last words say most."""
    words = [word.lower() for word in _WORD.findall(name)]
    return next((_VALUES[word] for word in reversed(words[-12:]) if word in _VALUES), _NAMES)
