"""The machine that figures come from."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path

__all__ = ["describe_machine"]

_PACKAGES = ("Django", "psycopg", "tantivy", "msgspec", "gunicorn")


def describe_machine() -> dict[str, str]:
    """Processor, memory, system and versions, each as words."""
    cpus = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in cpus if line.startswith("model name")), "unknown")
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 1024**2
    return {
        "processor": f"{os.cpu_count()} cores of {model}",
        "memory": f"{memory:.0f} GiB",
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", platform.platform()),
        "load": " ".join(f"{value:.1f}" for value in os.getloadavg()),
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        **{name: version(name) for name in _PACKAGES},
    }
