"""The static dataset: making it, and fetching it from a server that does nothing else.

Runs in the environment of an installation that holds a dataset (``python -m benchmarks.static_dataset``). First bytes
are medians; memory is what only the worker holds, after and before all files were fetched.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import time
from collections.abc import Iterator
from statistics import median

from benchmarks.measuring import markdown_table, measure, program
from benchmarks.serving import Server, serving

__all__ = ["main"]

_REPEATED = 20
_NAMES = ("manifest.json", "index.json", "index.json.gz", "repos.json", "search/norms.json", "search/tokens/00.json")


def _first_byte(port: int, path: str) -> float:
    """Milliseconds until the first byte of a body is there, on a connection that is open."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.connect()
    started = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()
    response.read(1)
    passed = time.perf_counter() - started
    connection.close()
    return passed * 1000


def _rows(server: Server, port: int) -> Iterator[tuple[str, str, str, str, str]]:
    for name in _NAMES:
        path = f"/data/{name}"
        whole = [server.get(path) for _ in range(3)]
        first = median(_first_byte(port, path) for _ in range(_REPEATED))
        known = [server.get(path, **{"If-None-Match": whole[0].tag}) for _ in range(_REPEATED)]
        costs = [sum(row.cpu for row in answers) / len(answers) for answers in (whole, known)]
        yield path, f"{whole[0].size / 2**20:,.2f}", f"{first:.1f}", f"{costs[0]:.1f}", f"{costs[1]:.1f}"


def _fetch_all(server: Server, port: int) -> int:
    """Every file that the manifest names; how many bytes that were."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", "/data/manifest.json")
    manifest = json.loads(connection.getresponse().read())
    connection.close()
    return sum(server.get(entry["path"]).size for entry in manifest["files"].values())


def main() -> None:
    """Makes the dataset anew, serves it, and prints what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8399, help="a free port (default: %(default)s)")
    port = parser.parse_args().port
    environment = dict(os.environ)
    made = measure(program("kb.cli.program", "static_dataset", "--force", "--json"), environment=environment)
    told = json.loads(made.output.strip().splitlines()[-1])
    size = told["bytes"] / 2**20
    print(f"Made of {told['records']:,} records: {told['files']:,} files, {size:,.0f} MiB, in {made.wall:.1f} s,")
    print(f"{made.cpu:.1f} s of CPU, with {made.memory:.0f} MiB at most.\n")
    with serving(environment, port=port) as server:
        server.get("/data/manifest.json")
        before = server.memory
        heads = ("file", "MiB", "first byte, ms", "CPU, ms", "CPU of a 304, ms")
        print(markdown_table(heads, list(_rows(server, port))))
        fetched = _fetch_all(server, port) / 2**20
        after = server.memory
        print(f"\nMemory of the worker: {before:.1f} MiB, and {after:.1f} MiB after {fetched:,.0f} MiB were fetched.")


if __name__ == "__main__":
    main()
