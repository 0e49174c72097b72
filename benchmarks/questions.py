"""What is asked of the site: records, repositories, families and searches, drawn from the catalog itself by a seed."""

from __future__ import annotations

import collections
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.catalog import queries
from kb.catalog.answers import RecordView

__all__ = ["Questions", "draw"]

_WORD = re.compile(r"[a-z]{4,16}")
_COMMON = 12


@dataclass(frozen=True, kw_only=True)
class Questions:
    """``records`` are all different. ``words`` are two words of one record, ``common`` words stand in many records,
    ``rare`` ones in few, and ``misspelt`` are words with one letter wrong.
    """

    records: Sequence[RecordView]
    repositories: Sequence[str]
    families: Sequence[str]
    words: Sequence[str]
    common: Sequence[str]
    rare: Sequence[str]
    misspelt: Sequence[str]


def draw(count: int, *, seed: int) -> Questions:
    """Questions for ``count`` rounds. Half of the repositories and families are the largest ones."""
    chance = random.Random(seed)
    records = _records(count, chance)
    texts = [set(_WORD.findall(f"{view.record.error_message} {view.record.documentation}".lower())) for view in records]
    frequency = collections.Counter(word for words in texts for word in words)
    common = [word for word, _ in frequency.most_common(_COMMON)]
    rare = sorted(word for word, times in frequency.items() if times == 1) or common
    usual = [sorted(word for word in words if frequency[word] > 1) or sorted(words) or common for words in texts]
    large = [row.full_name for row in queries.home().repositories]
    families = [term.key for term in queries.top_terms("family", 20)]
    return Questions(
        records=records,
        repositories=[chance.choice(large) if i % 2 else view.record.repo for i, view in enumerate(records)],
        families=[
            (not i % 2 and view.record.background_tag) or chance.choice(families) for i, view in enumerate(records)
        ],
        words=[" ".join(chance.sample(words, min(2, len(words)))) for words in usual],
        common=[chance.choice(common) for _ in records],
        rare=[chance.choice(rare) for _ in records],
        misspelt=[_misspelt(chance.choice(words), chance) for words in usual],
    )


def _records(count: int, chance: random.Random) -> list[RecordView]:
    """Different records, spread over the whole catalog: each the first one from a random id on."""
    found: dict[str, RecordView] = {}
    for _ in range(20 * count):
        if len(found) == count:
            break
        view = next(queries.iter_records(after=f"{chance.getrandbits(64):016x}", batch=1), None)
        if view is not None and not view.row.retired:
            found[view.record.id] = view
    return list(found.values())


def _misspelt(word: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(word))
    return word[:place] + chance.choice("abcdefghijklmnopqrstuvwxyz") + word[place + 1 :]
