"""The distinct patterns of a revision: their text, the anchors they are filed under, and how common their words are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kb.matching.index.grams import Stretches, bitmap_of, checks_of, count_windows, keys_of, packed_sketch, windows
from kb.matching.index.packing import Array, narrow, widen
from kb.matching.index.segments import Literals, literals_of_all
from kb.matching.index.strings import Texts
from kb.matching.index.wide import leasts

__all__ = ["Anchors", "anchors_of", "merge_anchors", "pattern_arrays", "word_key", "words_of"]

_CHUNK: Final = 8_000  # patterns whose windows are looked at together
_WIDE, _NARROW = 8, 4
_WORD: Final = re.compile(r"\w{2,40}")


@dataclass(frozen=True, slots=True)
class Entries:
    """What patterns are filed under: keys of windows; twice the number of the pattern, and one more for what only a
    beginning of it needs; and the checks of further windows.
    """

    keys: Array
    patterns: Array
    checks: Array

    @classmethod
    def of(cls, parts: Sequence[Entries]) -> Entries:
        """All of the parts."""
        return cls(
            np.concatenate([np.empty(0, dtype=np.uint32), *(part.keys for part in parts)]),
            np.concatenate([np.empty(0, dtype=np.int64), *(part.patterns for part in parts)]),
            np.concatenate([np.empty(0, dtype=np.uint32), *(part.checks for part in parts)]),
        )

    @classmethod
    def read(cls, arrays: Mapping[str, Array], kind: str) -> Entries:
        """Those that were written."""
        return cls(arrays[f"{kind}.keys"], widen(arrays[f"{kind}.patterns"]), arrays[f"{kind}.checks"])

    def some(self, kept: Array) -> Entries:
        """A choice of them, or all in another order."""
        return Entries(self.keys[kept], self.patterns[kept], self.checks[kept])

    def moved(self, numbers: Array) -> Entries:
        """Under the new numbers of their patterns, without those that have none (-1)."""
        now = numbers[self.patterns >> 1]
        return Entries(self.keys, now << 1 | self.patterns & 1, self.checks).some(now >= 0)

    def arrays(self, kind: str) -> dict[str, Array]:
        """The arrays to write."""
        ordered = self.some(np.lexsort((self.patterns, self.keys)))
        return {
            f"{kind}.keys": ordered.keys,
            f"{kind}.patterns": narrow(ordered.patterns),
            f"{kind}.checks": ordered.checks,
            f"{kind}.bitmap": bitmap_of(ordered.keys),
        }


@dataclass(frozen=True, slots=True)
class Anchors:
    """The entries of patterns by windows of eight bytes, and of those that have four bytes only.

    ``always`` are the patterns that no substring of four bytes can find. ``refused`` counts what RE2 did not take.
    """

    wide: Entries
    narrow: Entries
    always: Array
    words: Mapping[int, int]
    refused: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Some patterns: the bytes of their segments, each ended by a separator, where each pattern starts in them, and how
    many bytes of each must be there for a fit of whole first segments, and for one that is cut off.
    """

    data: bytes
    starts: Array
    patterns: Array
    whole: Array
    cut: Array


def words_of(folded: str) -> set[str]:
    """The distinct words of a folded text, in lower case."""
    return set(_WORD.findall(folded.lower()))


def word_key(word: str) -> int:
    """A number for a word that is the same in every process."""
    key = 0x811C9DC5
    for byte in word.encode("utf-8", "surrogatepass"):
        key = ((key ^ byte) * 0x01000193) & 0xFFFFFFFF
    return key


def anchors_of(patterns: Sequence[str], numbers: Sequence[int], sketch: Array) -> Anchors:
    """What to file the patterns under; their windows are added to the counts of ``sketch`` first."""
    chunks: list[_Chunk] = []
    short: list[tuple[int, Literals]] = []
    always: list[int] = []
    words: Counter[str] = Counter()
    refused = 0
    for start in range(0, len(patterns), _CHUNK):
        filed: list[int] = []
        long: list[Literals] = []
        some = literals_of_all(patterns[start : start + _CHUNK])
        for literals, number in zip(some, numbers[start : start + _CHUNK], strict=True):
            refused += literals.kind == "refused"
            words.update(words_of(" ".join(literals.texts)))
            if literals.is_small:
                continue
            longest = _longest(literals.texts)
            if longest >= _WIDE:
                filed.append(number)
                long.append(literals)
            elif longest >= _NARROW:
                short.append((number, literals))
            else:
                always.append(number)
        if long:
            chunks.append(_chunk(long, filed))
            count_windows(chunks[-1].data, sketch)
    counts = Counter[int]()
    for word, count in words.items():
        counts[word_key(word)] += count
    wide = Entries.of([entries for chunk in chunks for entries in _wide_entries(chunk, sketch)])
    return Anchors(wide, _narrow_entries(short), np.array(always, dtype=np.int64), counts, refused)


def _longest(texts: Sequence[str]) -> int:
    """The bytes of the longest text, at least where it matters: from :data:`_WIDE` on any number stands for all."""
    most = max(map(len, texts), default=0)
    return most if most >= _WIDE else max((len(_encoded(text)) for text in texts), default=0)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _chunk(long: Sequence[Literals], numbers: Sequence[int]) -> _Chunk:
    """Patterns with their segments as bytes, each ended by a separator."""
    texts = [text for literals in long for text in literals.texts]
    encoded = [_encoded(text) for text in texts]
    counts = np.array([len(literals.texts) for literals in long])
    first = np.cumsum(counts) - counts  # the place of each pattern's first segment
    characters = np.array([len(text) for text in texts])
    sizes = np.array([len(data) for data in encoded]) + 1
    ends = np.cumsum(sizes)
    starts = ends[first] - sizes[first]
    read = np.cumsum(characters)
    read -= np.repeat(read[first] - characters[first], counts)  # characters up to the end of each segment
    plain = np.array([literals.kind != "expression" for literals in long])

    def reaching(least: Array) -> tuple[Array, Array]:
        """The first segment with which each pattern has ``least`` characters, and whether it has one."""
        enough = read >= np.repeat(least, counts)
        found = np.minimum.reduceat(np.where(enough, np.arange(len(texts)), len(texts)), first)
        has = plain & (found < len(texts))
        return np.where(has, found, 0), has

    least_whole, least_cut = leasts(np.add.reduceat(characters, first))
    at, has = reaching(least_whole)
    whole = np.where(has, ends[at] - starts, 0)
    at, has = reaching(least_cut)
    missing = least_cut - (read[at] - characters[at])
    for place in np.flatnonzero(has & (sizes[at] != characters[at] + 1)).tolist():  # not ASCII alone
        missing[place] = len(_encoded(texts[at[place]][: missing[place]]))
    cut = np.where(has, ends[at] - sizes[at] - starts + missing, 0)
    return _Chunk(b"\xff".join(encoded) + b"\xff", starts, np.array(numbers), whole, cut)


def _wide_entries(chunk: _Chunk, sketch: Array) -> Iterator[Entries]:
    stretches = Stretches(chunk.data, chunk.starts, sketch)
    main, checks, has = stretches.rarest()
    yield Entries(main, chunk.patterns << 1, checks).some(has)
    whole, whole_checks, has_whole = stretches.rarest(within=chunk.whole)
    cut, cut_checks, has_cut = stretches.rarest(within=chunk.cut)
    yield Entries(cut, chunk.patterns << 1 | 1, cut_checks).some(has_cut & ((cut != main) | (cut_checks != checks)))
    has_whole &= (whole != main) | (whole_checks != checks)
    has_whole &= ~has_cut | (whole != cut) | (whole_checks != cut_checks)
    yield Entries(whole, chunk.patterns << 1 | 1, whole_checks).some(has_whole)


def _narrow_entries(short: Sequence[tuple[int, Literals]]) -> Entries:
    """The few patterns without eight bytes in a row, each under the rarest of its four."""
    found: list[list[int]] = []
    for _, literals in short:
        found.append([int(key) for text in literals.texts for key in windows(_encoded(text), _NARROW)])
    counts = Counter(key for keys in found for key in set(keys))
    keys = keys_of(np.array([min(own, key=lambda key: (counts[key], key)) for own in found], dtype=np.uint32))
    return Entries(
        keys, np.array([number << 1 for number, _ in short], dtype=np.int64), checks_of(keys, np.zeros(len(keys)), keys)
    )


def pattern_arrays(texts: Texts, anchors: Anchors, sketch: Array) -> dict[str, Array]:
    """The arrays to write."""
    keys = np.array(sorted(key for key, count in anchors.words.items() if count > 0), dtype=np.uint32)
    return {
        "pattern.blob": texts.blob,
        "pattern.offsets": texts.offsets,
        **anchors.wide.arrays("wide"),
        **anchors.narrow.arrays("narrow"),
        "always": np.sort(anchors.always).astype(np.uint32),
        "sketch": packed_sketch(sketch),
        "word.keys": keys,
        "word.counts": narrow(np.array([anchors.words[int(key)] for key in keys], dtype=np.int64)),
        "refused": np.array([anchors.refused], dtype=np.uint32),
    }


def merge_anchors(base: Mapping[str, Array], moved: Array, gone: Sequence[str], added: Anchors) -> Anchors:
    """The anchors of a base index whose patterns have new numbers (-1 for those in ``gone``), with added ones."""
    always = moved[base["always"]]
    words = Counter(dict(zip(base["word.keys"].tolist(), widen(base["word.counts"]).tolist(), strict=True)))
    refused = int(base["refused"][0]) + added.refused
    for literals in literals_of_all(gone):
        refused -= literals.kind == "refused"
        for word in words_of(" ".join(literals.texts)):
            words[word_key(word)] -= 1
    words.update(added.words)
    return Anchors(
        Entries.of([Entries.read(base, "wide").moved(moved), added.wide]),
        Entries.of([Entries.read(base, "narrow").moved(moved), added.narrow]),
        np.concatenate([always[always >= 0], added.always]),
        words,
        refused,
    )
