"""Readers for tests of imports: ``python -m tests.imports.reader_program THREADS [--patient] ID ID``.

Each thread looks at two records of different repositories and at the search index, all as of one revision, until
standard input is closed, and then prints what it saw as one JSON object. With ``--patient`` a database that does not
answer is no failure, a mixed view still is.
"""

from __future__ import annotations

import json
import sys
import threading
import time

import django

django.setup()

from django.db import InterfaceError, OperationalError, connections  # noqa: E402

from kb.catalog import queries  # noqa: E402
from kb.search.engine import search  # noqa: E402

_PAUSE = 0.1  # seconds: eight readers leave the machine to the import


def _look(ids: list[str]) -> int:
    """One view; the revision it was of."""
    with queries.snapshot() as state:
        marker = f"release-{state.revision}"
        views = [queries.record_by_id(record_id) for record_id in ids]
        found = [view and view.record.error_message.rsplit(" ", 1)[1] for view in views]
        assert found == [marker] * len(ids), f"{found} at revision {state.revision}"
        answer = search(f'"{marker}"', revision=state.revision, limit=1)
        assert answer.revision == state.revision, f"the index of {answer.revision} at revision {state.revision}"
        assert answer.count == state.records, f"{answer.count} of {state.records} found at revision {state.revision}"
        return state.revision


class Reader(threading.Thread):
    """Looks until it is told to end; the first failure ends it, too."""

    def __init__(self, ids: list[str], *, patient: bool) -> None:
        super().__init__(daemon=True)
        self._ids, self._patient = ids, patient
        self.ended = threading.Event()
        self.views = self.misses = 0
        self.revisions: set[int] = set()
        self.failures: list[str] = []

    def run(self) -> None:
        """Reads."""
        while not self.ended.is_set() and not self.failures:
            try:
                self.revisions.add(_look(self._ids))
                self.views += 1
            except (OperationalError, InterfaceError) as error:
                self.misses += 1
                if not self._patient:
                    self.failures.append(repr(error))
            except BaseException as error:  # noqa: BLE001 - told to the test
                self.failures.append(repr(error))
            finally:
                connections.close_all()  # as at the end of a request
            time.sleep(_PAUSE)


def main() -> None:
    """Read until standard input ends."""
    count, *ids = sys.argv[1:]
    patient = "--patient" in ids
    threads = [Reader([name for name in ids if name != "--patient"], patient=patient) for _ in range(int(count))]
    for thread in threads:
        thread.start()
    while not all(thread.views or thread.failures for thread in threads):
        time.sleep(_PAUSE)
    sys.stdout.write("reading\n")
    sys.stdout.flush()
    sys.stdin.read()
    for thread in threads:
        thread.ended.set()
    for thread in threads:
        thread.join()
        seen = {
            "views": thread.views, "misses": thread.misses, "revisions": sorted(thread.revisions),
            "failures": thread.failures,
        }  # fmt: skip
        sys.stdout.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    main()
