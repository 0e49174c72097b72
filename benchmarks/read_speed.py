"""How fast the site answers: pages and API over HTTP, each beside the plainest view that could do its least.

``python -m benchmarks.read_speed`` works on the installation of its environment, which holds a dataset, and prints the
figures as JSON. Everything is asked in turn, round by round, so that a busy moment of the machine hits all alike.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import django

django.setup()  # before anything that has models

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks.measuring import percentile  # noqa: E402
from benchmarks.questions import Questions, draw  # noqa: E402
from benchmarks.serving import Server, serving  # noqa: E402
from kb.catalog import queries  # noqa: E402
from kb.present import links  # noqa: E402
from kb.search.engine import search  # noqa: E402

__all__ = ["main"]

# What is compared with what: the numerator and the baseline.
_RATIOS = {
    "record_warm": "plain_page",
    "record_cold": "plain_page",
    "record_304": "record_warm",
    "api_record": "plain_content",
    "api_record_304": "api_record",
    "repository": "plain_page",
    "family": "plain_page",
    "search_words": "engine_words",
    "search_common": "engine_common",
    "search_rare": "engine_rare",
    "search_misspelt": "engine_misspelt",
    "api_search_words": "engine_words",
}
_SEARCHES = ("words", "common", "rare", "misspelt")
_COUNTED_ROUNDS = 12
_WARMING = 5
_Times = tuple[float, float]  # wall and CPU milliseconds


def _asks(questions: Questions, number: int) -> list[tuple[str, str, str]]:
    """What one round asks for, in this order: a name, an address, and the earlier answer whose copy the client has."""
    record = questions.records[number].record
    page, api = links.record_path(record.repo, record.slug), f"/api/v1/errors/{record.id}"
    words = urlencode({"q": questions.words[number]})
    return [
        ("plain_page", f"/bench/page/{record.id}/", ""),
        ("record_cold", page, ""),  # every round has a record of its own
        ("record_warm", page, ""),
        ("record_304", page, "record_warm"),
        ("plain_content", f"/bench/content/{record.id}/", ""),
        ("api_record", api, ""),
        ("api_record_304", api, "api_record"),
        ("repository", links.repository_path(questions.repositories[number]), ""),
        ("family", links.family_path(questions.families[number]), ""),
        ("home", "/", ""),
        ("plain_query", "/bench/nothing/", ""),
        ("ping", "/healthz", ""),
        *((f"search_{kind}", links.search_path(getattr(questions, kind)[number]), "") for kind in _SEARCHES),
        ("api_search_words", f"/api/v1/search?{words}", ""),
    ]


def _round(server: Server, questions: Questions, number: int, revision: int) -> Iterator[tuple[str, _Times]]:
    """Ask everything once. Each search is followed by the same search without a page."""
    tags: dict[str, str] = {}
    for name, path, copy in _asks(questions, number):
        answer = server.get(path, **({"If-None-Match": tags[copy]} if copy else {}))
        if copy and answer.status != HTTPStatus.NOT_MODIFIED:
            raise RuntimeError(f"{path} does not recognize its own entity tag")
        tags[name] = answer.tag
        yield name, (answer.wall, answer.cpu)
        if name.startswith("search_"):
            kind = name.removeprefix("search_")
            yield f"engine_{kind}", _engine(getattr(questions, kind)[number], revision)


def _engine(text: str, revision: int) -> _Times:
    """The search itself with the page's six facets, in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    search(text, limit=20, revision=revision)
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def _statements(questions: Questions) -> dict[str, int]:
    """The largest number of SQL statements for each kind of address over some rounds, counted in this process."""
    client = Client(SERVER_NAME="localhost")
    most: collections.Counter[str] = collections.Counter()
    executed = 0

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal executed
        executed += 1
        return execute(*arguments)

    for number in range(min(_COUNTED_ROUNDS, len(questions.records))):
        tags: dict[str, str] = {}
        for name, path, copy in _asks(questions, number):
            executed = 0
            with connection.execute_wrapper(count):
                response = client.get(path, headers={"If-None-Match": tags[copy]} if copy else {})
            tags[name] = response.headers.get("ETag", "")
            most[name] = max(most[name], executed)
    return dict(most)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def measure_reading(rounds: int, *, seed: int = 1, starts: int = 3) -> dict[str, Any]:
    """All figures of reading for the installation of this environment."""
    questions = draw(rounds + _WARMING, seed=seed)
    revision = queries.state().revision
    statements = _statements(questions)
    shutil.rmtree(Path(os.environ["KB_DATA_DIR"]) / "cache", ignore_errors=True)
    samples: dict[str, list[_Times]] = {}
    start: list[_Times] = []
    for last in (*[False] * (starts - 1), True):
        with serving(dict(os.environ), port=_free_port()) as server:
            start.append((server.start_wall, server.start_cpu))
            for number in range(len(questions.records) if last else 0):
                for name, times in _round(server, questions, number, revision):
                    if number >= _WARMING:
                        samples.setdefault(name, []).append(times)
            memory = server.memory
    return {
        "rounds": len(questions.records) - _WARMING,
        "answers": {name: _figures(rows) | {"statements": statements.get(name)} for name, rows in samples.items()},
        "ratios": {f"{name}/{base}": _ratio(samples[name], samples[base]) for name, base in _RATIOS.items()},
        "start_wall": round(percentile((wall for wall, _ in start), 0.5), 2),
        "start_cpu": round(percentile((cpu for _, cpu in start), 0.5), 2),
        "worker_uss_mib": round(memory, 1),
    }


def _figures(rows: list[_Times]) -> dict[str, Any]:
    walls, cpus = zip(*rows, strict=True)
    return {
        "wall_p50": round(percentile(walls, 0.5), 2),
        "wall_p95": round(percentile(walls, 0.95), 2),
        "cpu_p50": round(percentile(cpus, 0.5), 2),
        "cpu_p95": round(percentile(cpus, 0.95), 2),
    }


def _ratio(rows: list[_Times], base: list[_Times]) -> dict[str, float]:
    """Of the medians: of CPU time, and of the wall clock."""
    (walls, cpus), (base_walls, base_cpus) = zip(*rows, strict=True), zip(*base, strict=True)
    return {
        "cpu": round(percentile(cpus, 0.5) / percentile(base_cpus, 0.5), 2),
        "wall": round(percentile(walls, 0.5) / percentile(base_walls, 0.5), 2),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.read_speed", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="how often everything is asked (default %(default)s)")
    chosen = parser.parse_args()
    print(json.dumps(measure_reading(chosen.rounds)))


if __name__ == "__main__":
    main()
