"""Finding patterns in texts: ``python -m benchmarks.match --records 500000``.

Makes records (facts only, no prose) with the generator of ``make_dataset.py``, builds the match index, and measures
building, size, memory, finding in traces, log lines and bare messages, and scanning a log. In the same run, the same
texts are tried against RE2 patterns one by one (a sample, since half a million take gigabytes) and scanned plainly,
line by line with one pattern: what any program must do that looks at each line. That both find the same is checked.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import make_dataset
from benchmarks.machine import describe_machine
from benchmarks.measuring import markdown_table, percentile, unique_memory

_MIB = 1024 * 1024
_ROUNDS = 5
_ONE_LINE_A_FRAME = ("TypeScript", "JavaScript", "Rust", "C++", "PHP", "Java", "C#")
_TRACE_LINES = (50, 25)  # the generator writes at most 28 frames


class FactWriter(make_dataset.RepoWriter):
    """Makes records whose long texts are empty: they cost most of the time and nothing here reads them."""

    def prose(self, *_arguments: object) -> list[str]:
        """No sentences."""
        return []


def main(arguments: Sequence[str] | None = None) -> None:
    """Make, build, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.match", description=__doc__)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--texts", type=int, default=200, help="texts of each kind")
    parser.add_argument("--tried", type=int, default=20_000, help="patterns that are tried one by one with RE2")
    parser.add_argument("--log", type=int, default=10, help="MB of log to scan")
    parser.add_argument("--jobs", type=int, default=2, help="processes that make records")
    parser.add_argument("--data", type=Path, help="keep the records there, or take those that are there")
    chosen = parser.parse_args(arguments)
    _set_up()
    with tempfile.TemporaryDirectory(prefix="faultbook-match-") as folder:
        figures = _measure(chosen, Path(folder))
    print("\n" + ", ".join(f"{name} {value}" for name, value in describe_machine().items()) + "\n")
    print(markdown_table(("figure", "value"), figures))


def _measure(chosen: argparse.Namespace, folder: Path) -> list[tuple[str, object]]:
    from kb.matching.index.open import match_root, open_index

    path = chosen.data or folder / "records.jsonl"
    if not path.exists():
        _make(path, chosen.records, chosen.jobs)
    build_figures = _in_process(partial(_build, path, folder))
    began = time.process_time()
    index = open_index(1, directory=folder)
    opened = time.process_time() - began
    size = sum(file.stat().st_size for file in (match_root(folder) / "1").iterdir())
    texts = _texts(path, chosen.texts)
    figures: list[tuple[str, object]] = [
        ("records", f"{index.records:,}"),
        ("patterns", f"{index.patterns:,}"),
        *build_figures,
        ("open and check, CPU ms", f"{opened * 1000:.0f}"),
        ("size, MiB", f"{size / _MIB:.1f}"),
    ]
    for kind, some in texts.items():
        figures += _find(index, kind, some)
    memory = _in_process(partial(_memory, folder, texts))
    figures += [("private memory that it takes a process, MiB", f"{memory:.1f}")]
    figures += _compare(index, texts["traceback"], chosen.tried)
    return figures + _scan(index, path, folder, chosen.log)


# --- records and texts ------------------------------------------------------------------------------------------------


def _make(path: Path, records: int, jobs: int) -> None:
    """Write the records, one a line."""
    roots = [sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")]
    corpus = make_dataset.build_corpus(roots, 6_000, jobs)
    plans = make_dataset.plan_repos(corpus, records, "1")
    with multiprocessing.Pool(jobs) as pool, path.open("w", encoding="utf-8") as file:
        for lines in pool.imap(partial(_repository, corpus), plans, chunksize=8):
            file.write(lines)
    print(f"made {records:,} records", file=sys.stderr)


def _repository(corpus: Any, plan: Any) -> str:
    writer = FactWriter(corpus, plan.name, plan.language, plan.sha, plan.seed, plan.size)
    return "".join(f"{make_dataset.dumps(writer.record())}\n" for _ in range(plan.size))


def _facts(path: Path) -> Iterator[Any]:
    from kb.catalog.answers import MatchFact
    from kb.records.functions import enclosing_function

    with path.open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            language = make_dataset.language_of(record["filePath"])
            at = record["lineNumber"] - record["sourceCodeStart"]
            yield MatchFact(
                id=record["id"],
                pattern=record["messagePattern"],
                cls=record["errorClass"],
                code=record["errorCode"],
                message=record["errorMessage"],
                path=record["filePath"],
                line=record["lineNumber"],
                function=enclosing_function(record["sourceCode"], at, language),
                repo=record["repo"],
                status=record["httpStatus"],
                language=language,
                group=record["id"],
                quality=100,
            )


def _texts(path: Path, count: int) -> dict[str, list[str]]:
    """Filled messages of random records by kind: bare, in a log line, under a long stack trace."""
    rng = random.Random(5)
    with path.open(encoding="utf-8") as file:
        chosen = _sample(file, count, rng)
    found: dict[str, list[str]] = {"bare": [], "log": [], "traceback": []}
    for record in chosen:
        message = make_dataset.instantiate(rng, record["errorMessage"])
        language, where = make_dataset.language_of(record["filePath"]), record["filePath"]
        found["bare"].append(message)
        found["log"].append(make_dataset.log_line(rng, message))
        trace = ""
        while trace.count("\n") - message.count("\n") < _TRACE_LINES[language in _ONE_LINE_A_FRAME]:
            trace = make_dataset.trace(rng, language, record["errorClass"], message, where, record["lineNumber"])
        found["traceback"].append(trace)
    return found


def _sample(lines: Iterator[str], count: int, rng: random.Random) -> list[dict[str, Any]]:
    kept: list[str] = []
    for number, line in enumerate(lines):
        if number < count:
            kept.append(line)
        elif (place := rng.randrange(number + 1)) < count:
            kept[place] = line
    return [json.loads(line) for line in kept]


# --- figures ----------------------------------------------------------------------------------------------------------


def _in_process(task: Callable[[], Any]) -> Any:
    """The result of a task in a fresh process, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1, _set_up) as pool:
        return pool.apply(task)


def _set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kb.settings")
    import django

    django.setup()


def _build(path: Path, folder: Path) -> list[tuple[str, object]]:
    from kb.matching.index.revisions import prepare_facts

    began = time.process_time()
    facts = list(_facts(path))
    read = time.process_time() - began
    began = time.process_time()
    prepare_facts(1, facts, directory=folder).publish()
    built = time.process_time() - began
    changed = random.Random(3).sample(facts, max(1, len(facts) // 100))
    began = time.process_time()
    ids = [fact.id for fact in changed]
    prepare_facts(2, changed, base=1, changed=ids, directory=folder).discard()
    updated = time.process_time() - began
    return [
        ("reading the records from JSON, CPU s", f"{read:.1f}"),
        ("build, CPU s", f"{built:.1f}"),
        ("update with 1 % changed, CPU s", f"{updated:.1f}"),
    ]


def _memory(folder: Path, texts: dict[str, list[str]]) -> float:
    from kb.matching.index.open import open_index

    before = unique_memory(os.getpid())
    index = open_index(1, directory=folder)
    for some in texts.values():
        for text in some:
            for found in index.find(text):
                index.facts(int(index.rows_of(found.pattern)[0]))
    return unique_memory(os.getpid()) - before


def _find(index: Any, kind: str, texts: Sequence[str]) -> list[tuple[str, object]]:
    cold, warm, counts = [], [], []
    for text in texts:
        counts.append(0)
        runs = []
        for _ in range(_ROUNDS):
            began = time.thread_time()
            counts[-1] = len(index.find(text))
            runs.append((time.thread_time() - began) * 1000)
        cold.append(runs[0])
        warm.append(statistics.median(runs))
    lines = statistics.median(text.count("\n") + 1 for text in texts)
    return [
        (f"find, {kind} ({lines:.0f} lines), first time, CPU ms p50 / p95", _percentiles(cold)),
        (f"find, {kind}, again", _percentiles(warm)),
        (f"found, {kind}, p50 / p95", f"{percentile(counts, 0.5)} / {percentile(counts, 0.95)}"),
    ]


def _percentiles(values: Sequence[float]) -> str:
    return f"{percentile(values, 0.5):.2f} / {percentile(values, 0.95):.2f}"


def _compare(index: Any, texts: Sequence[str], tried: int) -> list[tuple[str, object]]:
    """The same texts against patterns one by one, and against one pattern line by line."""
    import re2

    numbers = random.Random(7).sample(range(index.patterns), min(tried, index.patterns))
    chosen = [number for number in numbers if index.compiled(number).kind == "usual"]
    chosen = [number for number in chosen if not index.compiled(number).is_small]
    before = unique_memory(os.getpid())
    expressions = {number: re2.compile(index.pattern_text(number)) for number in chosen}
    some = texts[: max(1, min(len(texts), 400_000 // max(1, len(chosen))))]
    began, differing = time.process_time(), 0
    answers = [{number for number, one in expressions.items() if one.search(text)} for text in some]
    share = index.patterns / max(1, len(chosen))
    brute = (time.process_time() - began) / len(some) * share * 1000
    memory = (unique_memory(os.getpid()) - before) * share
    for text, wanted in zip(some, answers, strict=True):
        differing += index.strict(text) & set(chosen) != wanted
    plain = re2.compile("a pattern that stands (.+?) nowhere")
    began = time.process_time()
    for text in texts:
        for line in text.split("\n"):
            plain.search(line)
    scan = (time.process_time() - began) / len(texts) * 1000
    return [
        (f"trying all with RE2, CPU ms a trace (from {len(chosen):,} patterns)", f"{brute:,.0f}"),
        ("memory of all patterns in RE2, MiB (estimated likewise)", f"{memory:,.0f}"),
        (f"texts of {len(some)} whose strict part differs from RE2's", differing),
        ("one pattern, line by line, CPU ms a trace", f"{scan:.2f}"),
    ]


def _scan(index: Any, path: Path, folder: Path, megabytes: int) -> list[tuple[str, object]]:
    """A log with one filled message in a few lines, counted in one process."""
    import re2

    from kb.matching.scanning import scan_file

    rng = random.Random(9)
    with path.open(encoding="utf-8") as file:
        records = _sample(file, 2_000, rng)
    log = folder / "made.log"
    with log.open("w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1_000_000:
            message = make_dataset.instantiate(rng, rng.choice(records)["errorMessage"])
            usual = " ".join(make_dataset.invent(rng) for _ in range(12))
            file.writelines(f"{make_dataset.log_line(rng, text)}\n" for text in (usual, usual, usual, message))
    began = time.process_time()
    scan_file(log, lambda: index, processes=1)
    ours = time.process_time() - began
    plain = re2.compile("a pattern that stands (.+?) nowhere")
    began = time.process_time()
    with log.open(encoding="utf-8") as file:
        for line in file:
            plain.search(line)
    baseline = time.process_time() - began
    return [
        ("scan of a log with all counts, MB a CPU second", f"{megabytes / ours:.1f}"),
        ("one pattern, line by line, over the same log, MB a CPU second", f"{megabytes / baseline:.1f}"),
    ]


if __name__ == "__main__":
    main()
