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
from kb.matching.index.segments import Compiled, compile_all
from kb.matching.index.strings import Texts
from kb.matching.index.wide import least_cut, least_whole

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
    short: list[tuple[int, Compiled]] = []
    always: list[int] = []
    words: Counter[str] = Counter()
    refused = 0
    for start in range(0, len(patterns), _CHUNK):
        blobs: list[bytes] = []
        filed: list[int] = []
        heads: list[tuple[int, int]] = []
        some = compile_all(patterns[start : start + _CHUNK])
        for compiled, number in zip(some, numbers[start : start + _CHUNK], strict=True):
            refused += compiled.kind == "refused"
            words.update(words_of(" ".join(segment.text for segment in compiled.segments)))
            if compiled.is_small:
                continue
            data = [segment.text.encode("utf-8", "surrogatepass") for segment in compiled.segments]
            longest = max(map(len, data), default=0)
            if longest >= _WIDE:
                blobs.append(b"\xff".join(data) + b"\xff")
                filed.append(number)
                heads.append(_heads(compiled, data))
            elif longest >= _NARROW:
                short.append((number, compiled))
            else:
                always.append(number)
        if blobs:
            starts = np.cumsum([0, *map(len, blobs[:-1])])
            chunks.append(_Chunk(b"".join(blobs), starts, np.array(filed), *np.array(heads).T))
            count_windows(chunks[-1].data, sketch)
    counts = Counter[int]()
    for word, count in words.items():
        counts[word_key(word)] += count
    wide = Entries.of([entries for chunk in chunks for entries in _wide_entries(chunk, sketch)])
    return Anchors(wide, _narrow_entries(short), np.array(always, dtype=np.int64), counts, refused)


def _heads(compiled: Compiled, encoded: Sequence[bytes]) -> tuple[int, int]:
    """The bytes, separators included, that hold what any fit of whole first segments and any cut-off one must have; 0
    for no such fit.
    """
    if compiled.kind == "expression":
        return 0, 0
    whole = cut = size = count = 0
    needed, least = least_whole(compiled), least_cut(compiled)
    for segment, data in zip(compiled.segments, encoded, strict=True):
        length = len(segment.text)
        missing, count = least - count, count + length
        if not cut and missing <= length:
            cut = size + (
                missing if len(data) == length else len(segment.text[:missing].encode("utf-8", "surrogatepass"))
            )
        size += len(data) + 1
        if not whole and count >= needed:
            whole = size
        if cut and whole:
            break
    return whole, cut


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


def _narrow_entries(short: Sequence[tuple[int, Compiled]]) -> Entries:
    """The few patterns without eight bytes in a row, each under the rarest of its four."""
    found: list[list[int]] = []
    for _, compiled in short:
        data = [segment.text.encode("utf-8", "surrogatepass") for segment in compiled.segments]
        found.append([int(key) for part in data for key in windows(part, _NARROW)])
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
    for compiled in compile_all(gone):
        refused -= compiled.kind == "refused"
        for word in words_of(" ".join(segment.text for segment in compiled.segments)):
            words[word_key(word)] -= 1
    words.update(added.words)
    return Anchors(
        Entries.of([Entries.read(base, "wide").moved(moved), added.wide]),
        Entries.of([Entries.read(base, "narrow").moved(moved), added.narrow]),
        np.concatenate([always[always >= 0], added.always]),
        words,
        refused,
    )
