"""Every weight, limit and threshold of matching, with the reason where it is not plain."""

from __future__ import annotations

from typing import Final

# -- Limits: what a text may cost -------------------------------------------------------------------------------------

MAX_TEXT: Final = 256 * 1024
"""Bytes (UTF-8) of one text over HTTP (decisions 17)."""

MAX_TEXTS: Final = 100
"""Texts in one call."""

MAX_FAULTS: Final = 40
"""Faults of one text that are looked up; a log holds many, a report shows few."""

# -- Candidates: what is looked at closely ----------------------------------------------------------------------------

MAX_CANDIDATES: Final = 160
"""Records of one fault that are judged one by one."""

ROWS_OF_A_PATTERN: Final = 48
"""Records of one pattern that are judged; of more, those that class, frame or context points to come first."""

ROWS_OF_A_HINT: Final = 60
"""Records that a class, a code or a frame's file brings in by itself; one that names more names none."""

NEAR_FRAMES: Final = 6
"""Frames, nearest the raise first, whose files bring in candidates."""

MAX_FRAMES: Final = 40
"""Frames that are compared with a record's place."""

NEARBY_WORDS: Final = 8
"""The rarest words of a message that are searched for when no pattern fits."""
NEARBY_FEWEST: Final = 3
NEARBY_TEXT: Final = 600
"""Characters of a message whose words are taken."""
NEARBY_ROWS: Final = 10
NEARBY_FAULTS: Final = 2
"""Faults of one text for which the search index is asked."""

# -- Evidence: natural logarithms of how much likelier the record becomes ---------------------------------------------

PRIOR_PATTERNS: Final = 5_000
"""How many patterns what is usual anywhere counts for, beside those of the catalog."""
USUAL: Final = 0.0005
"""The share of messages anywhere from which on a word is one of the usual ones."""

MAX_INFORMATION: Final = 40.0
"""A text of more words than this is no surer."""

LENGTH: Final = 0.004
"""What each literal character adds, up to ``LONG``: of two patterns that fit, the one that says more comes first."""
LONG: Final = 100

PARTIAL: Final = 0.75
"""What the words of a match count when the text stops before the pattern does."""

OVERLAP: Final = 0.45
"""What words count that are in both the message and the record, in no order."""

REST_WORD: Final = 3.0
"""A word that stands in patterns weighs no more than this where it is not explained."""
REST_VALUE: Final = 0.3
"""What a word weighs there that no pattern holds: it is a value."""
REST: Final = 0.5
"""What words of the message count against a record that does not explain them."""

LOOSE: Final = 1.0
"""Taken from a match that fits only with gaps empty, lines broken or quotes left out."""

CLASS: Final = 4.0
"""A class of a library's own that is equal; one that every program raises counts as ``CLASS_GENERIC``."""
CLASS_GENERIC: Final = 1.2
CLASS_OTHER: Final = -1.5
"""The record names another class; mild, since classes change between versions."""
CLASS_MODULE: Final = 1.5
"""The class as printed begins with the record's package."""

MODULE: Final = 2.0
"""The message itself names the record's module, as ``<tool.connection.Connection object>`` does."""

CODE: Final = 5.0
STATUS: Final = 1.0

FRAME: Final = 5.0
"""The file of the frame nearest the raise is the record's; each frame further off counts ``FRAME_DECAY`` times that."""
FRAME_DECAY: Final = 0.75
FUNCTION: Final = 2.0
LINE: Final = 1.0
LINE_NEAR: Final = 60
"""Lines between frame and record that two versions of a file may differ by."""

PACKAGE: Final = 3.0
"""A frame lies in the record's package; times ``FRAME_DECAY`` for each package nearer the raise."""
PACKAGE_OTHER: Final = -3.0
"""The frames nearest the raise lie in another installed package."""

CONTEXT: Final = 3.0
LANGUAGE: Final = 0.3
LANGUAGE_OTHER: Final = -25.0
"""A trace in one language is no evidence for a record in another."""

SHOWN: Final = 0.5
"""Evidence of less weight than this is not told."""

QUALITY: Final = 0.05
"""A tie-break only."""

# -- Confidence -------------------------------------------------------------------------------------------------------

EXACT_INFORMATION: Final = 9.0
"""Words of this weight, all in place, with a class, frame or code that agrees, are exact."""
EXPLAINED: Final = 0.75
"""The share of the message that an exact match explains."""
STRONG_INFORMATION: Final = 20.0
"""Words of this weight are strong by themselves; with something that agrees, ``STRONG_SUPPORTED``."""
STRONG_SUPPORTED: Final = 6.0
STRONG_EXPLAINED: Final = 0.5
SITE_EXPLAINED: Final = 0.25
"""The same where class and raise site agree: a message may say more than the part that a record has."""
WEAK_SCORE: Final = 6.5
"""Below this a record is one of the nearest misses, no match."""
THIN_INFORMATION: Final = 3.5
"""Words of this weight, all in place and nothing else, are worth a look."""
WEAK_OVERLAP: Final = 0.6
"""The share of a record's words that the message holds, in no order, of which a match is made."""
STRONG_OVERLAP: Final = 0.7
"""The same for a strong match, where class and raise site agree."""
NEAREST_SCORE: Final = 2.5
TIE: Final = 0.5
"""Scores this close are equal."""
BEHIND: Final = 2.0
"""A match that scores this much less than the best one is weak beside it."""
MANY_REPOSITORIES: Final = 3
"""A message that records of more repositories share is universal: weak by its text alone."""
MAX_NEAREST: Final = 3
MAX_ALIKE: Final = 10

# -- Scanning a log ----------------------------------------------------------------------------------------------------

SCAN_LITERALS: Final = 12
"""Literal characters of a pattern below which it is not counted in a log: its text alone could not be strong."""
SCAN_EXAMPLES: Final = 2_000
"""Kinds of errors of one log that are kept with an example and explained; more are only counted."""
