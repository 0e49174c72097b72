"""The results as Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.measuring import markdown_table

__all__ = ["report"]

_DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def report(results: Mapping[str, Any]) -> str:
    """All tables of one run."""
    machine = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    parts = [
        f"## {results['records']:,} records ({results['source_mib']:,} MiB of JSON)",
        f"{results['date']}: {machine}",
    ]
    for kind, title in _DATABASES.items():
        if kind in results:
            parts += [f"### {title}", _imports(results[kind]["import"]), _reading(results[kind]["read"])]
    return "\n\n".join(parts)


def _imports(figures: Mapping[str, Any]) -> str:
    names = {
        "start": "start of the command",
        "first": "first import",
        "unchanged": "the same again",
        "next": "next version",
    }
    rows = [(title, *_cost(figures[name])) for name, title in names.items() if name in figures]
    for name, title in (("first", "JSON Lines, first import"), ("unchanged", "JSON Lines again")):
        if name in figures.get("lines", {}):
            rows.append((title, *_cost(figures["lines"][name])))
    rows.append(("index made anew", *_cost(figures["index_command"])))
    rows += [(f"{part} alone", f"{cpu:.2f}", "", "") for part, cpu in figures["parts_cpu"].items()]
    ratios = [(name.replace("_", " "), value) for name, value in figures["ratios"].items()]
    sizes = [("database, MiB", figures["database_mib"]), ("search index, MiB", figures["index_mib"])]
    if "next" in figures:
        exact = "exactly what it lists" if figures["next"]["exact"] else "NOT what it lists"
        sizes.append(("the next version changed", exact))
    tables = markdown_table(("import", "CPU s", "wall s", "memory MiB"), rows)
    return f"{tables}\n\n{markdown_table(('figure', 'value'), [*ratios, *sizes])}"


def _cost(cost: Mapping[str, float]) -> tuple[str, str, str]:
    return f"{cost['cpu']:.1f}", f"{cost['wall']:.1f}", f"{cost['memory']:.0f}"


def _reading(figures: Mapping[str, Any]) -> str:
    header = ("answer", "CPU p50 ms", "p95", "wall p50 ms", "p95", "statements")
    answers = markdown_table(header, _answers(figures["answers"]))
    ratios = [(name.replace("/", " / "), row["cpu"], row["wall"]) for name, row in figures["ratios"].items()]
    worker = [
        ("start until ready, wall s", figures["start_wall"]),
        ("start until ready, CPU s", figures["start_cpu"]),
        ("private memory of a worker, MiB", figures["worker_uss_mib"]),
    ]
    return "\n\n".join(
        [answers, markdown_table(("ratio of medians", "CPU", "wall"), ratios), markdown_table(("server", ""), worker)]
    )


def _answers(answers: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[object, ...]]:
    for name, row in answers.items():
        statements = "" if row["statements"] is None else row["statements"]
        yield name, row["cpu_p50"], row["cpu_p95"], row["wall_p50"], row["wall_p95"], statements
