"""A read query into a query of the index.

Three ways to find: all words (the rule), all words or near ones (``corrected``), most words. In each, a record whose
id, code, class, message, slug or repository is exactly the text comes first, whatever its words are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tantivy import Occur, Schema
from tantivy import Query as IndexQuery

from kb.records.text import fold
from kb.search import tuning
from kb.search.documents import filter_term, message_digest
from kb.search.query import Filter, Query
from kb.search.schema import TEXT_FIELDS
from kb.search.suggestions import Correction
from kb.search.tokens import Unit, unit_list, words

__all__ = ["Asked", "asked", "compose"]

_ID = re.compile(r"[0-9a-f]{16}")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]*")
_NAME = re.compile(r"[A-Z0-9_.:]")
"""Among other words, a code or class is known by its looks; alone it need not be."""
_COMPOUND = re.compile(r"[a-z0-9_]+(?:[.:-]+[a-z0-9_]+)+")
"""A folded name of several words. Its beginning need not end where one of its words does: ``fields.E3``."""
_AROUND = "\"'`()[]{}<>:;,.!?"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A query with its words as units: what must be there, and what must not. ``beside`` are the filters given apart
    from the text. ``begun`` is the unit whose last word may be the beginning of one, such as of ``completions``.
    """

    query: Query
    wanted: tuple[Unit, ...]
    unwanted: tuple[Unit, ...]
    beside: tuple[Filter, ...] = ()
    begun: Unit | None = None
    completions: tuple[str, ...] = ()

    @property
    def filters(self) -> tuple[Filter, ...]:
        """All filters in force."""
        return (*self.query.filters, *self.beside)


def asked(query: Query, beside: tuple[Filter, ...] = (), *, unfinished: bool = False) -> Asked:
    """Split the words of a query into units, at most :data:`tuning.MAX_TOKENS` tokens of them.

    ``unfinished`` says that somebody may be typing the last word still, as long as nothing stands behind it.
    """
    wanted: list[Unit] = []
    unwanted: list[Unit] = []
    tokens = 0
    for word in query.words:
        for unit in unit_list(word.text):
            tokens += len(unit.words) + len(unit.grams)
            if tokens <= tuning.MAX_TOKENS:
                (unwanted if word.negated else wanted).append(unit)
    begun = _begun(query) if unfinished else None
    return Asked(
        query=query,
        wanted=_distinct(wanted),
        unwanted=_distinct(unwanted),
        beside=beside,
        begun=begun if begun in wanted and begun not in unwanted else None,
    )


def _begun(query: Query) -> Unit | None:
    """The last unit of a text that ends in the middle of a word, or seems to."""
    last = query.words[-1] if query.words else None
    if last is None or last.phrase or last.negated or last.position + len(last.text) != len(query.text):
        return None
    units = unit_list(last.text)
    return units[-1] if units and units[-1].words and last.text[-1].isalnum() else None


def _distinct(units: Iterable[Unit]) -> tuple[Unit, ...]:
    return tuple(dict.fromkeys(units))


@dataclass(frozen=True, kw_only=True)
class _Composer:
    schema: Schema
    corrected: Mapping[str, Sequence[Correction]] = field(default_factory=dict)
    begun: Unit | None = None
    completions: Sequence[str] = ()

    def term(self, value: str) -> IndexQuery:
        return IndexQuery.term_query(self.schema, "filter", value, "basic")

    def run(self, name: str, tokens: Sequence[str], share: float = 1.0) -> IndexQuery:
        """Tokens one after the other in a field, at the field's weight."""
        if len(tokens) == 1:  # a phrase of one word panics
            found = IndexQuery.term_query(self.schema, name, tokens[0])
        else:
            found = IndexQuery.phrase_query(self.schema, name, list(tokens))
        return IndexQuery.boost_query(found, tuning.FIELD_WEIGHTS[name] * share)

    def unit(self, unit: Unit) -> IndexQuery:
        """A unit in any field; the best field counts, the others a little."""
        anywhere = [self.run("grams", unit.grams)] if unit.grams else []
        if unit.words:
            anywhere += [self.run(name, unit.words) for name in TEXT_FIELDS]
        if unit.parts:
            anywhere.append(self.run("parts", unit.parts))
        for tokens, share in self._other_spellings(unit):
            anywhere += [self.run(name, tokens, share) for name in TEXT_FIELDS]
        if unit == self.begun:
            anywhere += self._beginnings(unit.words)
        return IndexQuery.disjunction_max_query(anywhere, tuning.OTHER_FIELDS_SHARE)

    def _beginnings(self, tokens: tuple[str, ...]) -> Iterable[IndexQuery]:
        """Whatever the last token may be the beginning of: its completions, and, alone, any word."""
        *before, last = tokens
        for place, word in enumerate(self.completions, start=1):
            for name in TEXT_FIELDS:
                yield self.run(name, (*before, word), tuning.BEGUN_SHARE / place)
        lengths = [] if before else [length for length in tuning.BEGUN_FIELDS if length <= len(last)]
        for name in tuning.BEGUN_FIELDS[max(lengths)] if lengths else ():
            begins = IndexQuery.regex_query(self.schema, name, f"{last}.*")  # a token holds letters and digits alone
            yield IndexQuery.const_score_query(begins, tuning.FIELD_WEIGHTS[name] * tuning.BEGUN_CONSTANT)

    def _other_spellings(self, unit: Unit) -> Iterable[tuple[tuple[str, ...], float]]:
        if len(unit.words) == 1:
            for near in self.corrected.get(unit.words[0], ()):
                yield (near.word,), tuning.CORRECTED_SHARE**near.distance
        elif any(token in self.corrected for token in unit.words):
            best = tuple(self.corrected[token][0].word if token in self.corrected else token for token in unit.words)
            yield best, tuning.CORRECTED_SHARE


def compose(
    question: Asked,
    *,
    schema: Schema,
    corrected: Mapping[str, Sequence[Correction]] | None = None,
    most_words: bool = False,
) -> IndexQuery:
    """The query of the index. ``corrected`` maps words to other spellings that may stand in for them; none is empty."""
    composer = _Composer(
        schema=schema, corrected=corrected or {}, begun=question.begun, completions=question.completions
    )
    told = _told(composer, question, most_words=most_words)
    whole = _whole_text(composer, question.query)
    clauses = [(Occur.Must, _any_of([told, whole]) if whole else told)]
    clauses += _restrictions(composer, question.beside)
    if not any(entry.name == "status" for entry in question.filters):
        clauses.append((Occur.MustNot, composer.term("status:retired")))  # few, so quicker than asking for the others
    return IndexQuery.boolean_query(clauses)


def _any_of(ways: Iterable[IndexQuery]) -> IndexQuery:
    return IndexQuery.boolean_query([(Occur.Should, way) for way in ways])


def _told(composer: _Composer, question: Asked, *, most_words: bool) -> IndexQuery:
    """What the text says: its words or what they name exactly, its filters and what it excludes."""
    exact = _exact(composer, question.query)
    found = [_worded(composer, question, most_words=most_words)] if question.wanted else []
    if question.query.plain:
        clauses = [(Occur.Must, _any_of([*found, *exact]))]
    else:
        clauses = [(Occur.Must, IndexQuery.const_score_query(IndexQuery.all_query(), 0.0))]
    clauses += _restrictions(composer, question.query.filters)
    clauses += [(Occur.MustNot, composer.unit(unit)) for unit in question.unwanted]
    return IndexQuery.boolean_query(clauses)


def _worded(composer: _Composer, question: Asked, *, most_words: bool) -> IndexQuery:
    """All words, or most of them."""
    units = [composer.unit(unit) for unit in question.wanted]
    if most_words:
        least = max(1, math.ceil(len(units) * tuning.MOST_WORDS))
        some = [(Occur.Should, unit) for unit in units]
        clauses = [(Occur.Must, IndexQuery.boolean_query(some, minimum_number_should_match=least))]
    else:
        clauses = [(Occur.Must, unit) for unit in units]
    clauses += [(Occur.Should, bonus) for bonus in _bonuses(composer, question.query)]
    return IndexQuery.boolean_query(clauses)


def _whole_text(composer: _Composer, query: Query) -> IndexQuery | None:
    """Records whose message is the text to the letter, though it was read as having filters or exclusions."""
    if not query.plain or " ".join(query.text.split()) == query.plain:
        return None
    term = composer.term(filter_term("message", message_digest(query.text)))
    return IndexQuery.const_score_query(term, tuning.EXACT_BONUS["message"])


def _bonuses(composer: _Composer, query: Query) -> list[IndexQuery]:
    """What raises a record among those that hold the words."""
    found: list[IndexQuery] = []
    phrase = words(query.plain)
    if 1 < len(phrase) <= tuning.MAX_PHRASE_TOKENS:
        found.append(composer.run("message", phrase, tuning.PHRASE_BONUS))
    singles = [word.text.strip(_AROUND) for word in query.words if not (word.negated or word.phrase)]
    if len(query.words) > 1:
        for single in filter(_NAME.search, singles):
            for name, bonus in tuning.WORD_BONUS.items():
                term = composer.term(filter_term(name, fold(single)))
                found.append(IndexQuery.const_score_query(term, bonus))
    return found


def _exact(composer: _Composer, query: Query) -> list[IndexQuery]:
    """Records that the words together name."""
    if not query.plain:
        return []
    whole = fold(query.plain.strip(_AROUND) or query.plain)
    named = {"code": whole, "class": whole, "message": message_digest(query.plain)}
    if _ID.fullmatch(whole):
        named["id"] = whole
    if _SLUG.fullmatch(whole):
        named["slug"] = whole
    if "/" in whole:
        named["repo"] = whole
    found = [
        IndexQuery.const_score_query(composer.term(filter_term(name, value)), tuning.EXACT_BONUS[name])
        for name, value in named.items()
    ]
    if composer.begun is not None and _COMPOUND.fullmatch(whole):
        begun = f"{re.escape(filter_term('code', whole))}.*"
        begins = IndexQuery.regex_query(composer.schema, "filter", begun)
        found.append(IndexQuery.const_score_query(begins, tuning.FIELD_WEIGHTS["names"]))
    return found


def _restrictions(composer: _Composer, filters: Iterable[Filter]) -> list[tuple[Occur, IndexQuery]]:
    """Filters as clauses: values of one name are alternatives, except tags, which must all be there."""
    clauses: list[tuple[Occur, IndexQuery]] = []
    alternatives: dict[str, list[IndexQuery]] = {}
    for entry in filters:
        if entry.name == "status" and entry.value == "all":
            continue
        query = _restriction(composer, entry)
        if entry.negated:
            clauses.append((Occur.MustNot, query))
        elif entry.name == "tag":
            clauses.append((Occur.Must, IndexQuery.const_score_query(query, 0.0)))
        else:
            alternatives.setdefault(entry.name, []).append(query)
    for queries in alternatives.values():
        either = IndexQuery.boolean_query([(Occur.Should, query) for query in queries])
        clauses.append((Occur.Must, IndexQuery.const_score_query(either, 0.0)))
    return clauses


def _restriction(composer: _Composer, entry: Filter) -> IndexQuery:
    if entry.name != "file":
        return composer.term(filter_term(entry.name, entry.value))
    path = words(entry.value)[: tuning.MAX_PHRASE_TOKENS]
    return composer.run("place", path) if path else IndexQuery.empty_query()
