"""Every weight, limit and threshold of the search. Nothing else in this package holds a number that was chosen.

Weights are factors on BM25 scores; the bonuses are whole scores, far apart so that one kind of exactness never loses to
another kind plus a good text score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# --- what a hit in each field of the index is worth -------------------------------------------------------------------

FIELD_WEIGHTS: Final[Mapping[str, float]] = {
    "message": 4.0,
    "names": 5.0,
    "topic": 2.5,
    "place": 1.5,
    "documentation": 1.6,
    "context": 1.0,
    "solutions": 1.0,
    "code": 0.4,
    "parts": 1.5,
    "grams": 3.0,
}
OTHER_FIELDS_SHARE: Final = 0.15
"""How much the fields other than the best one add to the score of one word."""

EXACT_BONUS: Final[Mapping[str, float]] = {
    "id": 8_000.0,
    "code": 4_000.0,
    "class": 2_000.0,
    "message": 1_000.0,
    "slug": 500.0,
    "repo": 250.0,
}
"""The whole query is the record's id, code, class and so on."""
WORD_BONUS: Final[Mapping[str, float]] = {"code": 60.0, "class": 30.0}
"""One of several words is the record's code or class."""
BEGUN_SHARE: Final = 0.5
"""What the first completion of an unfinished word is worth beside the word itself; the second is worth half of that,
and so on: what is frequent is more likely meant, though the rare word scores higher where it stands."""
BEGUN_CONSTANT: Final = 0.1
"""What any other word that begins with it scores, as a share of its field's weight: these are not told apart."""
PHRASE_BONUS: Final = 6.0
"""Factor for all words of the query standing in the message in this order."""
CORRECTED_SHARE: Final = 0.5
"""What a corrected word is worth beside the word as typed, for each letter that had to change."""

# --- limits of a query: they bound the time it can take ---------------------------------------------------------------

MAX_QUERY_CHARACTERS: Final = 2_000
MAX_WORDS: Final = 32
MAX_FILTERS: Final = 40
MAX_PROBLEMS: Final = 10
"""Problems that one text is told about, limits aside."""
MAX_PHRASE_TOKENS: Final = 24
MAX_TOKENS: Final = 64
MAX_VALUE_CHARACTERS: Final = 300
MAX_TOKEN_BYTES: Final = 80
"""Longer runs of letters (keys, base64) are neither indexed nor searched."""

# --- answers ----------------------------------------------------------------------------------------------------------

MAX_LIMIT: Final = 100
DEFAULT_LIMIT: Final = 20
MAX_RANKED: Final = 2_000
"""Hits that can be paged through."""
SCORE_DIGITS: Final = 6
"""Significant digits of a score. What differs further on comes from the order of additions, which files decide."""
TIE_MARGIN: Final = 40
"""Hits fetched beyond a page, to see whether its last hit ties with those after it."""
FACET_VALUES: Final = 12
FACET_CANDIDATES: Final = 30
"""Values a facet fetches before it sorts and cuts, so that equal counts come in alphabetical order."""
FACET_SEGMENT_VALUES: Final = 65_000
"""Values that each segment of the index gives for a facet; where it has more, the candidates are counted again. Fewer
make one pass cheaper, but the second costs more than all of them."""
KEPT_FACETS: Final = 200
"""Questions whose facets an open index keeps: for the pages after the first, and for common words."""
KEPT_FROM: Final = 2_000
"""Hits from which on it is worth it."""
KEPT_OVERVIEWS: Final = 200
"""Overviews that an open index keeps."""
GROWTH_POINTS: Final = 30
"""Revisions that an overview tells the number of records after."""
MAX_LABEL_CHARACTERS: Final = 200
"""Longer codes and classes are searchable but not offered as facet values."""
EXCERPT_CHARACTERS: Final = 240
MESSAGE_CHARACTERS: Final = 400

# --- when nothing, or little, was found -------------------------------------------------------------------------------

FEW_HITS: Final = 3
COMPLETIONS: Final = 8
"""Known words, the most frequent ones, that an unfinished word may become."""
SHORTEST_COMPLETED: Final = 2
BEGUN_FIELDS: Final[Mapping[int, tuple[str, ...]]] = {
    2: ("names", "message"),
    3: ("names", "message", "parts"),
    4: ("names", "message", "parts", "topic", "place", "documentation", "context", "solutions", "code"),
}
"""Fields in which every word that begins so is found, by the length of the beginning from which on. A shorter beginning
stands in more words than there is time for."""
CORRECTIONS: Final = 6
"""Other spellings tried for one word."""
CORRECTION_CANDIDATES: Final = 60
CORRECTED_WORDS: Final = 8
"""Words of one query that are tried in other spellings."""
SHORTEST_CORRECTED: Final = 4
TWO_TYPOS_FROM: Final = 8
"""Words from this length on may differ by two letters."""
LONGEST_CORRECTED: Final = 32
RARER_BY: Final = 20
"""A word that occurs is still corrected when a near one occurs this many times as often."""
MOST_WORDS: Final = 0.5
"""The share of the words that must be there when not all can be."""

# --- building ---------------------------------------------------------------------------------------------------------

WRITER_HEAP_BYTES: Final = 256_000_000
"""More makes fewer, larger segments, which are quicker to search; it is used as far as there is something to write."""
WORDS_HEAP_BYTES: Final = 15_000_000
VOCABULARY_WORDS: Final = 60_000
"""Words kept for corrections, the most frequent ones."""
INDEXED_CHARACTERS: Final = 20_000
"""Of each text field; the rest of a longer one is not searched."""
STORED_MESSAGE_CHARACTERS: Final = 2_000
STORED_DOCUMENTATION_CHARACTERS: Final = 2_000
VERIFIED_IDS: Final = 200
"""Ids looked up in a new index before it may be published."""
WORN_SHARE: Final = 0.5
"""An index that carries this share of replaced records along is better built anew."""
WORN_FROM: Final = 10_000
"""Smaller indexes count as being of this size: they are quick either way."""
OPEN_REVISIONS: Final = 3
"""Indexes a process keeps open."""
