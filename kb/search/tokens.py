"""Text into tokens, the same way for records and for queries.

Words are runs of letters and digits, folded (NFKC, case, accents). An identifier is found by its whole, by its words
(``ERR_BAD_RESPONSE`` is three) and by its humps (``NullPointerException`` is three as well, in a field of their own).
Scripts that put no space between words (Chinese, Japanese, Thai …) and Korean are indexed by single characters and
pairs.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from kb.records.text import fold
from kb.search import tuning

__all__ = [
    "HUMP",
    "UNSPACED",
    "Unit",
    "class_labels",
    "grams",
    "humps",
    "identifier_parts",
    "prepared",
    "unit_list",
    "unspaced_runs",
    "word_analyzer",
    "words",
]

UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]+"
)
# Possessive, and only at a word's beginning: nearly all words are plain ones, which this must pass over quickly.
_HUMPY = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]?[a-z]++[A-Z0-9]|[A-Z]{2,}+[a-z0-9]|[A-Z][0-9]|[0-9]++[A-Za-z])[A-Za-z0-9]*"
)
HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_CLASS_SEPARATORS = re.compile(r"::|[.\\/#$]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One thing that a record must hold: ``words`` one after the other in a text, or ``parts`` one after the other
    among the humps of its identifiers, or, in scripts without spaces, ``grams`` one after the other.
    """

    words: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    grams: tuple[str, ...] = ()


def word_analyzer() -> TextAnalyzer:
    """The analyzer of the index's text fields. It expects prepared text."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(tuning.MAX_TOKEN_BYTES + 1))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .build()
    )


_ANALYZER = word_analyzer()


def prepared(text: str) -> str:
    """Text as the index takes it: folded, and with spaces round the runs that have none of their own."""
    if text.isascii():
        return text  # the analyzer lowers the case itself
    return UNSPACED.sub(r" \g<0> ", fold(text))


def words(text: str) -> list[str]:
    """The words of a text in order, without runs longer than the index keeps."""
    return _ANALYZER.analyze(prepared(text))


def humps(identifier: str) -> list[str]:
    """The lower-case humps of one ASCII identifier: ``HTTPServerError2`` gives http, server, error, 2."""
    return [hump.lower() for hump in HUMP.findall(identifier)]


def identifier_parts(text: str) -> list[str]:
    """The humps of each identifier in a text that has more than one, an identifier to a string with spaces between."""
    return [" ".join(humps(identifier)) for identifier in dict.fromkeys(_HUMPY.findall(text))]


def unspaced_runs(text: str) -> list[str]:
    """The runs of characters of scripts without spaces, folded."""
    return [] if text.isascii() else UNSPACED.findall(fold(text))


def grams(run: str) -> tuple[str, ...]:
    """The pairs of a run in order, or its one character."""
    return tuple(run[i : i + 2] for i in range(len(run) - 1)) or (run,)


def unit_list(word: str) -> list[Unit]:
    """What a word or phrase of a query asks for. Empty when nothing in it can be searched."""
    spaced = word if word.isascii() else unicodedata.normalize("NFKC", word)
    units = [Unit(grams=grams(run)[: tuning.MAX_PHRASE_TOKENS]) for run in unspaced_runs(spaced)]
    for run in UNSPACED.split(spaced):
        found = tuple(words(run)[: tuning.MAX_PHRASE_TOKENS])
        if found:
            units.append(Unit(words=found, parts=_query_parts(run, found)))
    return units


def _query_parts(run: str, found: tuple[str, ...]) -> tuple[str, ...]:
    if len(found) > 1:
        return ()  # a phrase stands in the text itself
    parts = [part for piece in identifier_parts(run) for part in piece.split()]
    return tuple(parts[: tuning.MAX_PHRASE_TOKENS]) or found


def class_labels(error_class: str) -> tuple[str, ...]:
    """The folded names a class can be asked for by: qualified, and its last part."""
    whole = fold(error_class.strip())
    last = _CLASS_SEPARATORS.split(whole)[-1]
    return (whole, last) if last and last != whole else (whole,)
