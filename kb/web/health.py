"""Whether this process can serve: asked by load balancers, so answered in bounded time whatever the database does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from django.db import DatabaseError, InterfaceError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from kb.catalog import queries
from kb.matching.index.open import current_index
from kb.search import index
from kb.search.errors import SearchUnavailable

__all__ = ["Readiness", "readiness"]

_SECONDS = 3.0


@dataclass(frozen=True, kw_only=True)
class Readiness:
    """What was found; ``reasons`` is empty when the process can serve everything."""

    database: str
    migrations: str
    revision: int | None
    index: str
    matching: str = "unknown"
    reasons: tuple[str, ...] = ()

    @property
    def ready(self) -> bool:
        """Whether requests should be sent here."""
        return not self.reasons


@dataclass
class _Probe:
    """One check at a time: while one hangs, later ones wait for it instead of taking more connections."""

    executor: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="readiness"))
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: Future[Readiness] | None = None

    def ask(self, check: Callable[[], Readiness], *, seconds: float) -> Readiness | None:
        """The result of ``check`` in a thread of its own, ``None`` when it takes longer than ``seconds``."""
        with self.lock:
            if self.running is None or self.running.done():
                self.running = self.executor.submit(check)
            running = self.running
        try:
            return running.result(timeout=seconds)
        except TimeoutError:
            return None


_probe = _Probe()
_migrated = threading.Event()


def readiness(*, seconds: float = _SECONDS) -> Readiness:
    """Ask the database, its migrations, the catalog and both indexes; at most ``seconds`` are spent."""
    found = _probe.ask(_check, seconds=seconds)
    if found is not None:
        return found
    return Readiness(
        database="no answer",
        migrations="unknown",
        revision=None,
        index="unknown",
        reasons=(f"The database did not answer within {seconds:g} seconds.",),
    )


def _check() -> Readiness:
    try:
        return _checked()
    except (DatabaseError, InterfaceError):
        return Readiness(
            database="failing",
            migrations="unknown",
            revision=None,
            index="unknown",
            reasons=("The database cannot be reached.",),
        )
    finally:
        connections.close_all()  # else a connection of the pool would stay with this thread


def _checked() -> Readiness:
    if not _migrated.is_set() and not _up_to_date():
        return Readiness(
            database="ok",
            migrations="pending",
            revision=None,
            index="unknown",
            reasons=("Migrations are pending: run “python manage.py migrate”.",),
        )
    _migrated.set()
    revision = queries.state().revision
    reasons = () if revision else ("No dataset has been imported yet.",)
    problems = (_index_problem(revision), _match_problem(revision)) if revision else ("", "")
    return Readiness(
        database="ok",
        migrations="ok",
        revision=revision,
        index=("unusable" if problems[0] else "ok") if revision else "none",
        matching=("unusable" if problems[1] else "ok") if revision else "none",
        reasons=(*reasons, *filter(None, problems)),
    )


def _up_to_date() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _index_problem(revision: int) -> str:
    """Why searches would fail, or nothing. An older index serves until the one of this revision is there."""
    if index.is_usable(revision):
        return ""
    status = index.status()
    if status.newest is not None and not status.problem:
        return ""
    return f"The search index is not usable: {status.problem or 'none was built'}."


def _match_problem(revision: int) -> str:
    """Why explanations would fail, or nothing; older ones serve here too."""
    try:
        current_index(revision)
    except SearchUnavailable as problem:
        return f"The match index is not usable: {problem.reason}"
    return ""
