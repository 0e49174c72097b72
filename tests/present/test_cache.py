"""The cache of parts: bounded, and never in the way."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from kb.present.cache import PartCache, part_cache

MIB = 1024 * 1024


def key(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()[:40]


def key_beside(number: int) -> str:
    """Keys that share a subdirectory."""
    return f"{number:040x}"


def files_of(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


@pytest.fixture
def cache(tmp_path) -> PartCache:
    return PartCache(tmp_path / "cache", most_bytes=64 * MIB)


def test_a_part_comes_back(cache) -> None:
    assert cache.get(key(1)) is None
    cache.put(key(1), b"part")
    cache.put(key(2), b"")
    assert cache.get(key(1)) == b"part"
    assert cache.get(key(2)) == b""
    cache.put(key(1), b"another")
    assert cache.get(key(1)) == b"another"


def test_a_part_is_made_once(cache) -> None:
    made: list[bytes] = []

    def make() -> bytes:
        made.append(b"part")
        return b"part"

    assert [cache.get_or_make(key(1), make) for _ in range(3)] == [b"part"] * 3
    assert len(made) == 1


@pytest.mark.parametrize("damage", [b"", b"not compressed", b"x\x9c", None])
def test_a_damaged_file_is_made_again(cache, tmp_path, damage) -> None:
    cache.put(key(1), b"part" * 100)
    (file,) = files_of(tmp_path)
    file.write_bytes(file.read_bytes()[:-3] if damage is None else damage)
    assert cache.get(key(1)) is None
    assert cache.get_or_make(key(1), lambda: b"new") == b"new"
    assert cache.get(key(1)) == b"new"


def test_a_flipped_bit_is_noticed(cache, tmp_path) -> None:
    cache.put(key(1), b"part of a page " * 100)
    (file,) = files_of(tmp_path)
    packed = bytearray(file.read_bytes())
    packed[len(packed) // 2] ^= 4
    file.write_bytes(packed)
    assert cache.get(key(1)) is None


def test_the_room_is_bounded(tmp_path) -> None:
    cache = PartCache(tmp_path / "cache", most_bytes=2 * MIB)
    for number in range(1500):
        cache.put(key(number), b"%d" % number * 10)
    kept = files_of(tmp_path)
    assert sum(-(-path.stat().st_size // 4096) * 4096 for path in kept) <= 2 * MIB
    assert 256 <= len(kept) <= 512
    assert sum(cache.get(key(number)) is not None for number in range(1500)) == len(kept)
    assert not [path for path in kept if path.name.startswith(".")]


def test_drafts_of_killed_processes_are_cleared_as_well(tmp_path) -> None:
    cache = PartCache(tmp_path / "cache", most_bytes=64 * 8192)
    cache.put(key_beside(0), b"part")
    (file,) = files_of(tmp_path)
    draft = file.with_name(f".{key_beside(64)}.1.abcd")
    draft.write_bytes(b"x" * 5000)
    cache.put(key_beside(64), b"part")
    cache.put(key_beside(128), b"part")
    assert sum(-(-path.stat().st_size // 4096) for path in files_of(tmp_path)) <= 2


def test_what_is_larger_than_its_share_is_not_kept(tmp_path) -> None:
    cache = PartCache(tmp_path / "cache", most_bytes=MIB)
    cache.put(key(1), bytes(range(256)) * 1_000)
    assert cache.get(key(1)) is not None
    cache.put(key(2), b"".join(number.to_bytes(4, "big") for number in range(50_000)))
    assert cache.get(key(2)) is None


@pytest.mark.parametrize("place", ["file", "file/below", "nowhere\x00"])
def test_a_directory_that_cannot_be_made_is_no_error(tmp_path, place) -> None:
    (tmp_path / "file").write_text("in the way")
    if "\x00" in place:
        place = "x" * 300
    cache = PartCache(tmp_path / place, most_bytes=MIB)
    cache.put(key(1), b"part")
    assert cache.get(key(1)) is None
    assert cache.get_or_make(key(1), lambda: b"made") == b"made"


def test_a_directory_in_the_place_of_a_file_is_no_error(cache, tmp_path) -> None:
    cache.put(key(1), b"part")
    (file,) = files_of(tmp_path)
    file.unlink()
    (file / "inside").mkdir(parents=True)
    assert cache.get_or_make(key(1), lambda: b"made") == b"made"


@pytest.mark.parametrize("wrong", ["", "../../../etc/passwd", "ABCDEF0123", "0123", "g" * 40, "0" * 300])
def test_a_key_is_hexadecimal(cache, wrong) -> None:
    with pytest.raises(ValueError, match="Not a cache key"):
        cache.get(wrong)
    with pytest.raises(ValueError, match="Not a cache key"):
        cache.put(wrong, b"part")


def test_threads_share_a_small_directory(tmp_path) -> None:
    cache = PartCache(tmp_path / "cache", most_bytes=MIB)
    wrong: list[object] = []

    def work(seed: int) -> None:
        for number in range(300):
            wanted = (number * 7 + seed) % 400
            got = cache.get_or_make(key(wanted), lambda wanted=wanted: b"%d" % wanted * 20)
            if got != b"%d" % wanted * 20:
                wrong.append((wanted, got))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_installation_s_cache_lies_below_its_data(settings, tmp_path) -> None:
    settings.KB_DATA_DIR = tmp_path
    settings.KB_CACHE_MIB = 1
    part_cache().put(key(1), b"part")
    assert len(files_of(tmp_path / "cache")) == 1
    assert part_cache() is part_cache()
