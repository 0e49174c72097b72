"""A real server with one worker on a loopback port, and a client that keeps its connection open."""

from __future__ import annotations

import http.client
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import ROOT, cpu_seconds, program, unique_memory

__all__ = ["Answer", "Server", "serving"]

_START_SECONDS = 300


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A response, the wall time it took here, and the CPU time of the worker for it, both in milliseconds."""

    status: int
    size: int
    tag: str
    wall: float
    cpu: float


class Server:
    """A running server. ``start_wall`` and ``start_cpu`` are the seconds from its launch until it was ready."""

    def __init__(self, process: int, port: int) -> None:
        self._process = process
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_START_SECONDS)
        self.start_wall = self.start_cpu = 0.0

    @property
    def worker(self) -> int:
        """The process id of the one worker."""
        children = Path(f"/proc/{self._process}/task/{self._process}/children").read_text().split()
        return int(children[0])

    @property
    def memory(self) -> float:
        """MiB that only the worker holds."""
        return unique_memory(self.worker)

    def get(self, path: str, **headers: str) -> Answer:
        """Ask once. Raises ``RuntimeError`` for anything but 200 and 304: such a figure would mean nothing."""
        worker = self.worker
        cpu, wall = cpu_seconds(worker), time.perf_counter()
        self._connection.request("GET", path, headers={"Accept": "*/*", **headers})
        response = self._connection.getresponse()
        body = response.read()
        wall = time.perf_counter() - wall
        cpu = cpu_seconds(worker) - cpu
        if response.status not in {200, 304}:
            raise RuntimeError(f"{path} answered {response.status}: {body[:300]!r}")
        tag = response.headers.get("ETag", "")
        return Answer(status=response.status, size=len(body), tag=tag, wall=wall * 1000, cpu=cpu * 1000)

    def wait_until_ready(self) -> None:
        """Ask ``/readyz`` until it says yes. Raises ``TimeoutError``."""
        started = time.monotonic()
        while time.monotonic() - started < _START_SECONDS:
            try:
                self._connection.request("GET", "/readyz")
                response = self._connection.getresponse()
                response.read()
            except OSError:
                self._connection.close()
            else:
                if response.status == 200:  # noqa: PLR2004
                    self.start_wall = time.monotonic() - started
                    self.start_cpu = cpu_seconds(self._process) + cpu_seconds(self.worker)
                    return
            time.sleep(0.02)
        raise TimeoutError("the server did not become ready")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@contextmanager
def serving(environment: Mapping[str, str], *, port: int) -> Iterator[Server]:
    """``faultbook serve`` with one worker and one client, until the block ends."""
    command = program("kb.cli.program", "serve", "--bind", f"127.0.0.1:{port}", "--workers", "1", "--threads", "2")
    process = subprocess.Popen(command, env=dict(environment), cwd=ROOT, stdout=subprocess.DEVNULL)
    server = Server(process.pid, port)
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.close()
        process.send_signal(signal.SIGTERM)
        process.wait()
