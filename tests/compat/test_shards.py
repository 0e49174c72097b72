"""Searching by the shards finds what the same search over the whole index finds, computed by another program."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.imports.export.shards import tokens_of

READER = Path(__file__).with_name("reader.mjs")
# Programs read files here, which every database gives in the same way (see test_dataset.py).
pytestmark = [pytest.mark.django_db, pytest.mark.no_db_matrix]

# What tells languages apart when they fold case, cut words and read digits.
ODD = (
    "İstanbul ΣΑΣ ſpecial Kelvin ﬁle ＵＲＬ not found",
    "it's 'quoted' and \"quoted\" but 'open to the end",
    "a/b/c.d-e_f 0xdeadBEEF 12 12a a12 1_2 x\u00a0y\u2028z\tw",
    "constructor __proto__ toString hasOwnProperty",
    "ERR_A1 E_X EACCES _EX XE9 ÉACCES EÉ",
    "\u0661\u0662 digits \U0001f600 astral",
    "🙂",
    "",
)


def _queries(root: Path, count: int) -> list[dict[str, Any]]:
    """Texts near the messages of the index, and odd ones."""
    chance = random.Random(5)
    lines = json.loads((root / "index.json").read_bytes())["errors"]
    queries = [{"text": text, "repo": "", "limit": 25} for text in ODD]
    while len(queries) < count:
        line = chance.choice(lines)
        words = line["msg"].split()
        text = chance.choice(
            (
                line["msg"],
                f"Error: {line['code']} at /srv/app.py:{chance.randrange(99)}",
                " ".join(chance.sample(words, min(len(words), 4))),
                f"{chance.choice(ODD)} {line['msg']}",
            )
        )
        repo = chance.choice(("", "", line["repo"], "nobody/nothing"))
        queries.append({"text": text, "repo": repo, "limit": chance.choice((1, 5, 25))})
    return queries


@pytest.fixture
def root(starter: None, served: Any, settings: Any, make_many: None) -> Path:
    """The layout as it lies on the disk."""
    report = served()
    return Path(settings.KB_DATA_DIR) / "served" / str(report.revision) / "data"


@pytest.fixture
def make_many(import_records: Any, starter: None, record: Callable[..., dict[str, Any]]) -> None:
    """Records with odd messages, and more than one file of lines."""
    odd = [record(f"odd-{number}", errorMessage=text or "?") for number, text in enumerate(ODD)]
    more = [
        record(f"more-{number}", errorCode=str(number), errorMessage=f"Cannot open the {'very ' * (number % 7)}gate")
        for number in range(2_100)
    ]
    import_records(*odd, *more, dataset="odd")


@pytest.fixture
def compared(root: Path, run_node: Any, soak: bool) -> Any:
    """The queries, and what both ways found for each."""
    queries = _queries(root, 2_000 if soak else 200)
    return queries, json.loads(run_node(READER, str(root), given=json.dumps(queries)))


def test_shards_find_what_the_whole_index_finds(compared: Any, root: Path) -> None:
    _check_files(root)
    queries, found = compared
    assert found["count"] > 2_000
    assert found["lost"] == []
    assert len(found["answers"]) == len(queries) >= 200
    assert [row["byShards"] for row in found["answers"]] == [row["byDefinition"] for row in found["answers"]]
    assert sum(bool(row["byShards"]) for row in found["answers"]) > len(queries) // 2
    assert [tuple(row["words"]) for row in found["answers"]] == [tokens_of(query["text"]) for query in queries]


def _check_files(root: Path) -> None:
    """There are as many files as the layout has."""
    names = sorted(path.relative_to(root / "search").as_posix() for path in (root / "search").rglob("*.json"))
    shards = [f"{number:02x}.json" for number in range(256)]
    fixed = ["codes.json", "meta/0.json", "meta/1.json", "norms.json", "summary.json"]
    assert names == sorted([*fixed, *(f"ids/{name}" for name in shards), *(f"tokens/{name}" for name in shards)])
    lines = json.loads((root / "index.json").read_bytes())["errors"]
    assert lines == [
        line for part in ("0", "1") for line in json.loads((root / f"search/meta/{part}.json").read_bytes())
    ]
    assert len(json.loads((root / "search/meta/0.json").read_bytes())) == 2_000
