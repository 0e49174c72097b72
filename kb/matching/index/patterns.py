"""The distinct patterns of a revision: their text, the anchors they are filed under, and how common their words are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from kb.matching.index.grams import bitmap_of, choose, count_windows, keys_of, windows
from kb.matching.index.packing import Array, narrow, widen
from kb.matching.index.segments import Compiled, compile_pattern
from kb.matching.index.strings import Texts
from kb.matching.index.wide import least_cut, least_whole

__all__ = ["Anchors", "anchors_of", "merge_anchors", "pattern_arrays", "word_key", "words_of"]

_CHUNK: Final = 8_000  # patterns whose windows are looked at together
_WIDE, _NARROW = 8, 4
_WORD: Final = re.compile(r"\w{2,40}")


@dataclass(frozen=True, slots=True)
class Anchors:
    """Substrings and the patterns filed under them; ``partial`` marks those that are for beginnings only.

    ``always`` are the patterns that no substring of four bytes can find. ``refused`` counts what RE2 did not take.
    """

    wide: Array
    wide_patterns: Array
    narrow: Array
    narrow_patterns: Array
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
        for pattern, number in zip(patterns[start : start + _CHUNK], numbers[start : start + _CHUNK], strict=True):
            compiled = compile_pattern(pattern, engine=False)
            refused += compiled.kind == "refused"
            words.update(words_of(" ".join(segment.text for segment in compiled.segments)))
            if compiled.is_small:
                continue
            data = [segment.text.encode("utf-8", "surrogatepass") for segment in compiled.segments]
            longest = max(map(len, data), default=0)
            if longest >= _WIDE:
                blobs.append(b"\xff".join(data) + b"\xff")
                filed.append(number)
                heads.append(_heads(compiled))
            elif longest >= _NARROW:
                short.append((number, compiled))
            else:
                always.append(number)
        if blobs:
            starts = np.cumsum([0, *map(len, blobs[:-1])])
            chunks.append(_Chunk(b"".join(blobs), starts, np.array(filed), *np.array(heads).T))
            count_windows(chunks[-1].data, sketch)
    wide, wide_patterns = _wide_anchors(chunks, sketch)
    thin, thin_patterns = _narrow_anchors(short)
    counts = Counter[int]()
    for word, count in words.items():
        counts[word_key(word)] += count
    return Anchors(wide, wide_patterns, thin, thin_patterns, np.array(always, dtype=np.int64), counts, refused)


def _heads(compiled: Compiled) -> tuple[int, int]:
    """The bytes, separators included, that hold what any fit of whole first segments and any cut-off one must have; 0
    for no such fit.
    """
    if compiled.kind == "expression":
        return 0, 0
    whole = cut = size = count = 0
    least = least_cut(compiled)
    for segment in compiled.segments:
        missing, count = least - count, count + len(segment.text)
        if not cut and missing <= len(segment.text):
            cut = size + len(segment.text[:missing].encode("utf-8", "surrogatepass"))
        size += len(segment.text.encode("utf-8", "surrogatepass")) + 1
        if not whole and count >= least_whole(compiled):
            whole = size
    return whole, cut


def _wide_anchors(chunks: Sequence[_Chunk], sketch: Array) -> tuple[Array, Array]:
    keys: list[Array] = [np.empty(0, dtype=np.uint64)]
    filed: list[Array] = [np.empty(0, dtype=np.int64)]
    for chunk in chunks:
        main, has_main = choose(chunk.data, chunk.starts, sketch)
        whole, has_whole = choose(chunk.data, chunk.starts, sketch, within=chunk.whole)
        cut, has_cut = choose(chunk.data, chunk.starts, sketch, within=chunk.cut)
        keys.append(main[has_main])
        filed.append(chunk.patterns[has_main] << 1)
        has_whole &= whole != main
        has_cut &= (cut != main) & ~(has_whole & (cut == whole))
        for key, has in ((whole, has_whole), (cut, has_cut)):
            keys.append(key[has])
            filed.append(chunk.patterns[has] << 1 | 1)
    return keys_of(np.concatenate(keys)), np.concatenate(filed)


def _narrow_anchors(short: Sequence[tuple[int, Compiled]]) -> tuple[Array, Array]:
    """The few patterns without eight bytes in a row, each under the rarest of its four."""
    found: list[list[int]] = []
    for _, compiled in short:
        data = [segment.text.encode("utf-8", "surrogatepass") for segment in compiled.segments]
        found.append([int(key) for part in data for key in windows(part, _NARROW)])
    counts = Counter(key for keys in found for key in set(keys))
    keys = [min(own, key=lambda key: (counts[key], key)) for own in found]
    return keys_of(np.array(keys, dtype=np.uint32)), np.array([number << 1 for number, _ in short], dtype=np.int64)


def pattern_arrays(texts: Texts, anchors: Anchors, sketch: Array) -> dict[str, Array]:
    """The arrays to write."""
    wide = np.lexsort((anchors.wide_patterns, anchors.wide))
    thin = np.lexsort((anchors.narrow_patterns, anchors.narrow))
    keys = np.array(sorted(key for key, count in anchors.words.items() if count > 0), dtype=np.uint32)
    return {
        "pattern.blob": texts.blob,
        "pattern.offsets": texts.offsets,
        "wide.keys": anchors.wide[wide],
        "wide.patterns": narrow(anchors.wide_patterns[wide]),
        "wide.bitmap": bitmap_of(anchors.wide),
        "narrow.keys": anchors.narrow[thin],
        "narrow.patterns": narrow(anchors.narrow_patterns[thin]),
        "narrow.bitmap": bitmap_of(anchors.narrow),
        "always": np.sort(anchors.always).astype(np.uint32),
        "sketch": sketch,
        "word.keys": keys,
        "word.counts": narrow(np.array([anchors.words[int(key)] for key in keys], dtype=np.int64)),
        "refused": np.array([anchors.refused], dtype=np.uint32),
    }


def merge_anchors(base: Mapping[str, Array], moved: Array, gone: Sequence[str], added: Anchors) -> Anchors:
    """The anchors of a base index whose patterns have new numbers (-1 for those in ``gone``), with added ones."""
    wide, wide_patterns = _moved(base["wide.keys"], widen(base["wide.patterns"]), moved)
    thin, thin_patterns = _moved(base["narrow.keys"], widen(base["narrow.patterns"]), moved)
    always = moved[base["always"]]
    words = Counter(dict(zip(base["word.keys"].tolist(), widen(base["word.counts"]).tolist(), strict=True)))
    refused = int(base["refused"][0]) + added.refused
    for pattern in gone:
        compiled = compile_pattern(pattern, engine=False)
        refused -= compiled.kind == "refused"
        for word in words_of(" ".join(segment.text for segment in compiled.segments)):
            words[word_key(word)] -= 1
    words.update(added.words)
    return Anchors(
        np.concatenate([wide, added.wide]),
        np.concatenate([wide_patterns, added.wide_patterns]),
        np.concatenate([thin, added.narrow]),
        np.concatenate([thin_patterns, added.narrow_patterns]),
        np.concatenate([always[always >= 0], added.always]),
        words,
        refused,
    )


def _moved(keys: Array, filed: Array, moved: Array) -> tuple[Array, Array]:
    numbers = moved[filed >> 1]
    kept = numbers >= 0
    return keys[kept], (numbers[kept] << 1) | (filed[kept] & 1)
