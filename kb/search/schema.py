"""The fields of the index, as one table, and the analyzers they name.

Text fields are searched; ``filter`` holds one ``name:value`` term for everything that can be filtered or must be found
exactly; facet fields are columns for counting; ``key`` (the id as a number) and ``order`` are columns for sorting;
``show`` fields come back with a hit.
"""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from typing import Final

from tantivy import Filter, Index, Schema, SchemaBuilder, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from kb.search import tokens, tuning

__all__ = ["FACET_FIELDS", "TEXT_FIELDS", "build_schema", "fingerprint", "register", "words_schema"]

TEXT_FIELDS: Final = ("message", "names", "topic", "place", "documentation", "context", "solutions", "code")
"""Fields of words, searched by every word of a query."""
FACET_FIELDS: Final = (
    "repository",
    "language",
    "severity",
    "type",
    "class",
    "code_label",
    "strategy",
    "family",
    "tag",
    "status",
    "path",
)
NUMBER_FIELDS: Final = ("first", "retired")
"""Columns of revisions: the one a record came in, and the one it was retired in."""
SHOW_FIELDS: Final = ("show_message", "show_documentation")

_WORDS = "kb_words"
_COLUMN = "kb_column"
_FORMAT = 2
"""Counts changes in how documents or tokens are made that the tables here do not show."""


def build_schema() -> Schema:
    """The schema of the main index."""
    builder = SchemaBuilder()
    builder.add_unsigned_field("key", fast=True)
    builder.add_text_field("order", fast=True, tokenizer_name=_COLUMN, index_option="basic")
    builder.add_text_field("filter", tokenizer_name="raw", index_option="basic")
    for name in FACET_FIELDS:
        builder.add_text_field(name, fast=True, tokenizer_name=_COLUMN, index_option="basic")
    for name in NUMBER_FIELDS:
        builder.add_unsigned_field(name, fast=True)
    for name in TEXT_FIELDS:
        builder.add_text_field(name, tokenizer_name=_WORDS)
    builder.add_text_field("parts", tokenizer_name="whitespace")
    builder.add_text_field("grams", tokenizer_name="whitespace")
    for name in SHOW_FIELDS:
        builder.add_text_field(name, stored=True, tokenizer_name=_COLUMN, index_option="basic")
    return builder.build()


def words_schema() -> Schema:
    """The schema of the small index of known words, from which corrections come."""
    builder = SchemaBuilder()
    builder.add_text_field("word", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("count", stored=True, fast=True)
    return builder.build()


def register(index: Index) -> None:
    """Give an index its analyzers. tantivy does not store them: every opened index needs this."""
    index.register_tokenizer(_WORDS, tokens.word_analyzer())
    index.register_tokenizer(_COLUMN, _nothing())
    index.register_fast_field_tokenizer(_COLUMN, TextAnalyzerBuilder(Tokenizer.raw()).build())


def _nothing() -> TextAnalyzer:
    # A column is counted and sorted, never searched: an inverted index of it would be dead weight.
    return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.remove_long(0)).build()


def fingerprint() -> str:
    """Names the format of an index: equal for two versions of this program that can read each other's indexes."""
    library = ".".join(version("tantivy").split(".")[:2])
    table = repr(
        (
            _FORMAT,
            TEXT_FIELDS,
            FACET_FIELDS,
            NUMBER_FIELDS,
            SHOW_FIELDS,
            tuning.MAX_TOKEN_BYTES,
            tokens.UNSPACED.pattern,
        )
    )
    return f"tantivy-{library}-{hashlib.sha256(table.encode()).hexdigest()[:12]}"
