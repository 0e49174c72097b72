"""What is harvested once a run of the tests: packages that are installed for it, and a part of Python's own library.

With ``KB_SOAK=1`` everything that is installed, and the whole library.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kb.harvest.cache import HarvestCache
from kb.harvest.crew import Crew
from kb.harvest.dataset import lines
from kb.harvest.environments import open_environment
from kb.harvest.running import Plan, arranged, harvest
from kb.harvest.sources import standard_library
from kb.harvest.subjects import Subject

SOAK = os.environ.get("KB_SOAK") == "1"
PACKAGES = (
    "Django", "djangorestframework", "psycopg", "psycopg-pool", "requests", "urllib3", "PyYAML", "Werkzeug", "click",
    "jsonschema", "referencing", "packaging", "idna", "h11", "PyJWT", "gunicorn", "python-dotenv", "dj-database-url",
    "sqlparse", "attrs", "uritemplate",
)  # fmt: skip
LIBRARY = re.compile(
    r"(?:asyncio|base64|collections|concurrent|configparser|csv|ctypes|dataclasses|datetime|decimal|_pydecimal|email"
    r"|enum|fractions|gzip|http|importlib|inspect|ipaddress|json|logging|mailbox|plistlib|pathlib|queue|random|shutil"
    r"|ssl|statistics|string|subprocess|tarfile|tempfile|textwrap|threading|tomllib|typing|urllib|uuid|wave|xml"
    r"|xmlrpc|zipfile|zoneinfo|argparse|ast|codecs|contextlib|getopt|fileinput|socket)(?:/|\.py$)"
)


@dataclass
class Harvested:
    """What was read, and the records of it: in the order of the output, and in the file that holds them."""

    subjects: tuple[Subject, ...]
    records: list[dict[str, Any]]
    file: Path

    def place(self, path: str) -> tuple[str, str]:
        """The repository of the source file at ``path`` and the file's name there; empty for one that was not read."""
        return self._places.get(path, ("", ""))

    @cached_property
    def _places(self) -> dict[str, tuple[str, str]]:
        return {
            file.path: (subject.origin.repository, f"{subject.origin.folder}{file.relative}")
            for subject in self.subjects
            for file in subject.files
        }

    @cached_property
    def records_at(self) -> dict[tuple[str, str, int], list[dict[str, Any]]]:
        """The records by each place that they name: repository, file and line."""
        found: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
        for record in self.records:
            for line in (record["lineNumber"], *(site["line"] for site in record.get("sites", ()))):
                found.setdefault((record["repo"], record["filePath"], line), []).append(record)
        return found

    def named_at(self, path: str, first: int, last: int) -> list[dict[str, Any]]:
        """The records of a source file's lines."""
        repository, name = self.place(path)
        return [one for line in range(first, last + 1) for one in self.records_at.get((repository, name, line), ())]


@pytest.fixture(scope="session")
def harvested() -> Harvested:
    """Made by the first process of a run that wants it."""
    home = Path(os.environ["FAULTBOOK_TESTS_HOME"])
    plan = _plan()
    with (home / "harvested.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = home / "harvested.jsonl"
        if not file.exists():
            with Crew(2) as crew:
                made = b"".join(lines(harvest(plan, crew=crew, cache=HarvestCache(None))))
            file.write_bytes(made)
    records = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert len(records) > 3000
    return Harvested(plan.subjects, records, file)


def _plan() -> Plan:
    environment = open_environment(None)
    library = standard_library()
    if SOAK:
        subjects = [*map(environment.subject, environment.names()), library]
    else:
        chosen = tuple(file for file in library.files if LIBRARY.match(file.relative))
        library = msgspec.structs.replace(library, files=chosen)
        subjects = [*map(environment.subject, environment.resolve(PACKAGES)), library]
    return Plan(subjects=arranged(subjects), available=environment.importable())
