"""Records that share words with a message that fits none: asked of the search index, the last resort."""

from __future__ import annotations

from kb.matching import tuning
from kb.matching.evidence import rarity
from kb.matching.index.match_index import MatchIndex
from kb.matching.question import Question, words
from kb.matching.reading.folding import fold
from kb.search.engine import search
from kb.search.errors import SearchUnavailable

__all__ = ["nearby"]


def nearby(index: MatchIndex, question: Question) -> tuple[int, ...]:
    """Rows of the records that search finds by the rarest words of the message; none for a message with few words.

    Without a search index there are none: what the match index says stands for itself.
    """
    message = question.fault.message[: tuning.NEARBY_TEXT]
    if question.is_runtime or not message:
        return ()
    known = [word for word in dict.fromkeys(words(fold(message))) if index.commonness(word) and not word.isdigit()]
    if len(known) < tuning.NEARBY_FEWEST:
        return ()
    rarest = sorted(known, key=lambda word: -rarity(index, word))[: tuning.NEARBY_WORDS]
    asked = " ".join(word for word in known if word in rarest)
    try:
        hits = search(asked, facets=(), limit=tuning.NEARBY_ROWS, revision=index.revision).hits
    except SearchUnavailable:
        return ()
    return tuple(int(row) for hit in hits for row in index.by_id(hit.id))
