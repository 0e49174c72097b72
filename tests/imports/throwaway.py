"""A PostgreSQL server of a test's own, which it may kill, restart and starve."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

import psycopg
import pytest

__all__ = ["Server"]


class Server:
    """A new cluster in a directory of its own, or in ``home``; started by ``with``, and gone afterwards.

    It is as durable as a server in production, except that a power loss would harm it.
    """

    def __init__(self, home: Path | None = None) -> None:
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not programs:
            pytest.skip("no PostgreSQL server in /usr/lib/postgresql; on Debian: sudo apt-get install postgresql")
        self._bin = programs[-1].parent
        self._own = home is None
        # In /tmp: the user postgres must be able to pass, and a socket path has at most 107 bytes.
        self._sockets = Path(tempfile.mkdtemp(prefix="faultbook-server-", dir="/tmp"))
        self._data = (home or self._sockets) / "data"
        self._owner: list[str] = []
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            for directory in {self._sockets, home or self._sockets}:
                os.chown(directory, user.pw_uid, user.pw_gid)
            self._owner = ["runuser", "-u", "postgres", "--"]
        self.address = f"postgresql://postgres@{str(self._sockets).replace('/', '%2F')}/postgres"

    def __enter__(self) -> Self:
        self._run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync",
                  "--wal-segsize=1")  # fmt: skip
        self.start()
        return self

    def __exit__(self, *unused: object) -> None:
        with suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-m", "immediate", "-w", "stop")
        shutil.rmtree(self._data, ignore_errors=True)
        shutil.rmtree(self._sockets, ignore_errors=True)

    def start(self) -> None:
        """Starts it and waits until it answers, its recovery included."""
        options = f"-k {self._sockets} -c listen_addresses='' -c fsync=off -c min_wal_size=2MB -c max_wal_size=8MB"
        self._run("pg_ctl", "-w", "-l", str(self._sockets / "log"), "-o", options, "start")

    def restart(self, mode: str) -> None:
        """Stops it as ``pg_ctl`` does in the mode ``fast`` or ``immediate``, and starts it again."""
        self._run("pg_ctl", "-m", mode, "-w", "stop")
        self.start()

    def kill(self) -> None:
        """SIGKILL to all of its processes, as when the machine runs out of memory."""
        main = int((self._data / "postmaster.pid").read_text().split()[0])
        family = [main, *_children(main)]
        for process in family:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        while any(Path(f"/proc/{process}").exists() for process in family):
            time.sleep(0.02)

    def end_sessions(self) -> None:
        """Ends every connection but this one, as a proxy or an administrator does."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )

    def is_up(self) -> bool:
        """Whether it answers."""
        with suppress(psycopg.OperationalError), psycopg.connect(self.address, connect_timeout=5) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
        return False

    def _run(self, program: str, *words: str) -> None:
        # Into files: the server keeps the output of the program that started it open.
        with (self._sockets / "output").open("w+") as output:
            command = [*self._owner, str(self._bin / program), "-D", str(self._data), *words]
            done = subprocess.run(command, cwd=self._sockets, stdout=output, stderr=output, check=False)
            if done.returncode:
                output.seek(0)
                raise subprocess.CalledProcessError(done.returncode, command, output.read())


def _children(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found
