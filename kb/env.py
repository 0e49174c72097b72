"""Strict readers of the environment.

Every setting that an operator may change is a row of :data:`VARIABLES`. A ``KB_`` name that is not in the table is a
start-up error that names the nearest valid one, and so is a value that a reader does not accept: a typing error in a
deployment must not silently become a default.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

__all__ = [
    "REPORT_WORDS",
    "VARIABLES",
    "EnvironmentReader",
    "ImproperEnvironment",
    "Variable",
    "asset_root",
    "is_read_only",
    "read_only",
]

_TRUE = ("1", "true", "yes", "on")
_LOCALE = re.compile(r"[a-z]{2,3}(?:_[A-Z]{2}|_[A-Z][a-z]{3})?")  # as Django looks for a language
_FALSE = ("0", "false", "no", "off")
REPORT_WORDS = ("id", "url", "title", "repo", "dataset")
"""What KB_REPORT_URL may name in braces."""


class ImproperEnvironment(ValueError):
    """The environment holds a name or a value that Faultbook does not take. The text is meant for the operator."""


@dataclass(frozen=True, kw_only=True)
class Variable:
    """One documented environment variable: its name, what it is for, and whether ``…_FILE`` may hold it instead."""

    name: str
    purpose: str
    secret: bool = False


VARIABLES: tuple[Variable, ...] = (
    Variable(name="KB_DATA_DIR", purpose="directory of everything that is written (default: var)"),
    Variable(
        name="KB_DATABASE_URL",
        purpose="postgresql://user:password@host/name, or sqlite:///path (default: SQLite in the data directory)",
        secret=True,
    ),
    Variable(name="KB_INDEX_DIR", purpose="directory of the search indexes (default: index in the data directory)"),
    Variable(
        name="KB_SECRET_KEY",
        purpose="at least 50 random characters; signs staff sessions (default: made once, kept in the data directory)",
        secret=True,
    ),
    Variable(name="KB_DEBUG", purpose="yes or no; never on a public host (default: no)"),
    Variable(
        name="KB_ALLOWED_HOSTS",
        purpose="host names that the site answers to, separated by commas (default: this machine only)",
    ),
    Variable(
        name="KB_BASE_URL", purpose="public address of the site, for absolute links, e.g. https://errors.example.org"
    ),
    Variable(
        name="KB_SERVER",
        purpose="address of the Faultbook that commands and the pytest plugin ask (default: the catalog here)",
    ),
    Variable(name="KB_TRUSTED_PROXIES", purpose="how many proxies stand in front and set X-Forwarded-For (default: 0)"),
    Variable(name="KB_WORKERS", purpose="server processes (default: 2)"),
    Variable(name="KB_THREADS", purpose="threads a server process (default: 2)"),
    Variable(name="KB_RATE_LIMIT", purpose="API requests a minute and client, 0 for no limit (default: 600)"),
    Variable(
        name="KB_EXPORT_STREAMS",
        purpose="exports that a server process streams at a time, 0 to turn /api/v1/export/ off (default: 1)",
    ),
    Variable(name="KB_CACHE_MIB", purpose="bound of the cache of rendered parts in MiB (default: 256)"),
    Variable(
        name="KB_KEEP_RELEASES",
        purpose="how many releases can be taken back and are in the feed of changes, 0 for all (default: 0)",
    ),
    Variable(name="KB_UPLOAD_MIB", purpose="largest file in MiB that an import over HTTP may send (default: 4096)"),
    Variable(name="KB_FETCH_HTTP", purpose="fetch datasets over plain http from other machines, too (default: no)"),
    Variable(name="KB_FETCH_PRIVATE", purpose="fetch datasets from private addresses, too (default: no)"),
    Variable(name="KB_FETCH_PROXY", purpose="address of a proxy to fetch datasets through (default: none)"),
    Variable(name="KB_FETCH_CONNECTIONS", purpose="files of a dataset that are fetched at once (default: 4)"),
    Variable(name="KB_FETCH_IDLE_SECONDS", purpose="how long a server of a dataset may send nothing (default: 30)"),
    Variable(name="KB_FETCH_MINUTES", purpose="how long fetching a dataset may take (default: 240)"),
    Variable(name="KB_FETCH_GIB", purpose="how much a dataset may have when fetched, in GiB (default: 64)"),
    Variable(
        name="KB_REPORT_URL",
        purpose="where readers report a problem of a record, e.g. https://example.org/?title={title} (default: none)",
    ),
    Variable(name="KB_LANGUAGE", purpose="language of the pages, one that has a catalog of messages (default: en)"),
    Variable(name="KB_LOG_LEVEL", purpose="DEBUG, INFO, WARNING or ERROR (default: INFO)"),
)


_modes: set[str] = set()


def read_only() -> None:
    """Say, before the settings are loaded, that this process only reads: they make no directory and keep no key.

    For commands that people run in directories of their own, where a catalog need not be.
    """
    _modes.add("read-only")


def is_read_only() -> bool:
    """Whether :func:`read_only` was called."""
    return bool(_modes)


def asset_root() -> Path:
    """Where ``templates``, ``static`` and ``fixtures`` are: inside the installed package, else in the checkout."""
    installed = Path(__file__).resolve().parent / "_assets"
    return installed if installed.is_dir() else installed.parent.parent


class EnvironmentReader:
    """Reads :data:`VARIABLES` from a mapping such as ``os.environ``.

    Raises :class:`ImproperEnvironment` at construction for a ``KB_`` name that is not documented, and from each reader
    for a value that it does not accept. An empty value counts as not set.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment
        valid = sorted([row.name for row in VARIABLES] + [f"{row.name}_FILE" for row in VARIABLES if row.secret])
        for name in environment:
            if name.startswith("KB_") and name not in valid and name not in _TEST_NAMES:
                near = difflib.get_close_matches(name, valid, n=1)
                hint = f" Did you mean {near[0]}?" if near else ""
                message = f"{name} is not a setting of Faultbook.{hint} Valid names: {', '.join(valid)}."
                raise ImproperEnvironment(message)

    def text(self, name: str, default: str = "") -> str:
        """The value of ``name``; for a secret also that of the file ``{name}_FILE``, without its last line break."""
        row = next(row for row in VARIABLES if row.name == name)
        value = self._environment.get(name, "")
        file_name = self._environment.get(f"{name}_FILE", "") if row.secret else ""
        if value and file_name:
            message = f"{name} and {name}_FILE are both set; keep one of them."
            raise ImproperEnvironment(message)
        if not file_name:
            return value or default
        try:
            return re.sub(r"\r?\n\Z", "", Path(file_name).read_text(encoding="utf-8")) or default
        except (OSError, UnicodeDecodeError) as error:
            message = f"{name}_FILE names {file_name}, which cannot be read: {error}."
            raise ImproperEnvironment(message) from error

    def flag(self, name: str, *, default: bool) -> bool:
        """A yes or no."""
        value = self.text(name).strip().lower()
        if not value:
            return default
        if value in _TRUE or value in _FALSE:
            return value in _TRUE
        raise self._refused(name, f"one of {', '.join(_TRUE + _FALSE)}")

    def number(self, name: str, *, default: int, least: int, most: int) -> int:
        """A whole number from ``least`` to ``most``."""
        value = self.text(name).strip()
        if not value:
            return default
        if value.isascii() and value.isdigit() and least <= int(value) <= most:
            return int(value)
        raise self._refused(name, f"a whole number from {least} to {most}")

    def names(self, name: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list separated by commas."""
        return tuple(part.strip() for part in self.text(name).split(",") if part.strip()) or default

    def choice(self, name: str, *, default: str, choices: tuple[str, ...]) -> str:
        """One of ``choices``, whatever its case."""
        value = self.text(name, default).strip().upper()
        if value in choices:
            return value
        raise self._refused(name, f"one of {', '.join(choices)}")

    def path(self, name: str, *, default: Path) -> Path:
        """An absolute path; a relative one counts from the working directory."""
        return Path(self.text(name) or default).expanduser().absolute()

    def base_url(self, name: str) -> str:
        """An http or https address without its last slash, or nothing."""
        value = self.text(name).strip().rstrip("/")
        parts = urlsplit(value)
        if value and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment):
            raise self._refused(name, "an address such as https://errors.example.org")
        return value

    def report_url(self, name: str) -> str:
        """A pattern of https or mailto addresses, or nothing; :data:`REPORT_WORDS` in braces behind host or mailbox."""
        value = self.text(name).strip()
        filled = value
        for word in REPORT_WORDS:
            filled = filled.replace(f"{{{word}}}", "x")
        try:
            parts = urlsplit(filled)
        except ValueError:
            parts = urlsplit("")
        fixed = value.startswith((f"https://{parts.netloc}", f"mailto:{parts.path}"))
        plain = quote(filled, safe="-._~:/?#[]@!$&'()*+,;=%") == filled  # no braces are left, nothing that ends a link
        if value and not (fixed and plain and (parts.hostname or "@" in parts.path)):
            words = ", ".join(f"{{{word}}}" for word in REPORT_WORDS)
            raise self._refused(name, f"an address with https:// or mailto:, in which {words} stand for the record's")
        return value

    def language(self, name: str, *, catalogs: Iterable[Path]) -> str:
        """A language with a catalog of messages in one of the folders, as ``pt-br``; English, which needs none."""
        found = {path.parent.parent.name for folder in catalogs for path in folder.glob("*/LC_MESSAGES/django.mo")}
        known = sorted({"en", *(name.replace("_", "-").lower() for name in found if _LOCALE.fullmatch(name))})
        value = self.text(name, "en").strip().replace("_", "-").lower()
        if value in known:
            return value
        raise self._refused(name, f"one of {', '.join(known)}: the languages with a catalog of messages")

    def _refused(self, name: str, expected: str) -> ImproperEnvironment:
        row = next(row for row in VARIABLES if row.name == name)
        shown = "(hidden)" if row.secret else repr(self.text(name))
        return ImproperEnvironment(f"{name} is {shown}, but must be {expected}.")


# Read by the test suite and the benchmarks, not by the application.
_TEST_NAMES = frozenset({"KB_SOAK"})
