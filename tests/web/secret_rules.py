"""The rules of ``kb.matching.reading`` for secrets as a browser writes them: the table of ``static/js/secrets.js``.

Run as a program, it writes the table anew: ``python -m tests.web.secret_rules``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from kb.matching.reading import ansi, secret_tokens, secret_values

__all__ = ["SCRIPT", "script_with_rules", "translated"]

SCRIPT: Final = Path(__file__).parents[2] / "static/js/secrets.js"
_TABLE: Final = re.compile(r"(?<=// BEGIN RULES\n).*?(?= *// END RULES\n)", re.DOTALL)
_TOKEN: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<|\s|#[^\n]*|[*+?}]\+|.", re.DOTALL)


def translated(pattern: re.Pattern[str]) -> str:
    r"""The expression of ``pattern`` for JavaScript with the flag ``u``.

    Possessive quantifiers become greedy ones: nothing behind one can match what it took, so both find the same.
    ``\s`` and ``\w`` stand in brackets, since the script puts Python's characters in their place.
    """
    verbose = bool(pattern.flags & re.VERBOSE)
    return "".join(_piece(token, verbose=verbose) for token in _TOKEN.findall(pattern.pattern))


def _piece(token: str, *, verbose: bool) -> str:
    if verbose and (token.isspace() or (token[0] == "#" and len(token) > 1)):
        return ""
    if len(token) > 2 and token[0] == "[":
        return re.sub(r"""\\(["'<])""", r"\1", token)
    if len(token) == 2 and token[1] == "+" and token[0] != "\\":
        return token[0]
    return {"(?P<": "(?<", ".": r"[^\n]", r"\s": r"[\s]", r"\w": r"[\w]", r"\b": r"(?<![\w])"}.get(token, token)


def _rules() -> dict[str, Any]:
    values = secret_values
    return {
        "tokens": [[kind, translated(pattern)] for kind, _, pattern in secret_tokens._TOKENS],
        "block": translated(secret_tokens._BLOCK),
        "blockBody": translated(secret_tokens._BODY),
        "longestBlock": secret_tokens._LONGEST_BLOCK,
        "authority": translated(secret_tokens._AUTHORITY),
        "longUser": secret_tokens._LONG_USER,
        "placeholderInUrl": secret_tokens._PLACEHOLDER,
        "names": [
            [kind, sign, translated(pattern).removesuffix(translated(re.compile(values._ASSIGNED, re.VERBOSE)))]
            for kind, sign, pattern in values._BEHIND
        ],
        "assigned": translated(re.compile(values._ASSIGNED, re.VERBOSE)),
        "rest": translated(values._REST),
        "beforeKey": list(values._BEFORE_KEY),
        "option": translated(values._OPTION),
        "headers": [[kind, translated(pattern)] for _, pattern, kind in values._HEADERS],
        "ordinary": " ".join(values._ORDINARY.split()),
        "before": list(values._BEFORE),
        "path": translated(values._PATH),
        "nameOnly": translated(values._NAME_ONLY),
        "placeholder": values._PLACEHOLDER,
        "shortest": values._SHORTEST,
        "longestLook": values._LONGEST_LOOK,
        "sequence": translated(ansi._SEQUENCE),
    }


def _table() -> str:
    def lines(value: Any, indent: str) -> str:
        if isinstance(value, list) and value and isinstance(value[0], list):
            inner = "".join(f"{indent}  {json.dumps(row, ensure_ascii=True)},\n" for row in value)
            return f"[\n{inner}{indent}]"
        return json.dumps(value, ensure_ascii=True)

    return "".join(f"    {name}: {lines(value, '    ')},\n" for name, value in _rules().items())


def script_with_rules(text: str) -> str:
    """The text of the script with the table as the rules say."""
    made, count = _TABLE.subn(lambda _: _table(), text)
    assert count == 1
    return made


if __name__ == "__main__":
    SCRIPT.write_text(script_with_rules(SCRIPT.read_text()))
