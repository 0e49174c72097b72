"""What a verification found: as a value, as JSON, and as the file in which the last one is kept."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import msgspec
from django.conf import settings

__all__ = ["CheckResult", "Cure", "FoundFault", "VerifyReport", "last_verification", "store_verification"]

Cure = Literal["mended", "repair", "none"]
_FILE = "verify.json"
log = logging.getLogger(__name__)


class FoundFault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault: where, what, and whether it was mended, ``--repair`` can mend it, or neither."""

    check: str
    subject: str
    message: str
    cure: Cure


class CheckResult(msgspec.Struct, kw_only=True):
    """One check: how many faults it found, and how many of these were mended or cannot be; the first are named."""

    name: str
    found: int = 0
    mended: int = 0
    beyond: int = 0
    faults: list[FoundFault] = []

    @property
    def left(self) -> int:
        """The faults that are still there."""
        return self.found - self.mended


class VerifyReport(msgspec.Struct, kw_only=True, rename="camel"):
    """A verification of one revision. ``error`` is why it did not come to its end."""

    outcome: Literal["sound", "mended", "faulty", "failed", "refused"] = "failed"
    revision: int = 0
    version: str = ""
    records: int = 0
    sampled: int = 0
    repair: bool = False
    started_at: datetime
    seconds: float = 0.0
    error: str = ""
    checks: list[CheckResult] = []
    notices: list[str] = []

    @property
    def found(self) -> int:
        """How many faults there were."""
        return sum(check.found for check in self.checks)

    @property
    def left(self) -> int:
        """How many faults are still there."""
        return sum(check.left for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints and the file holds; the names in it are stable."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


def _path() -> Path:
    return Path(settings.KB_DATA_DIR) / _FILE


def store_verification(report: VerifyReport) -> str:
    """Keeps the report as the last one of this data directory; says what went wrong, nothing when nothing did."""
    path = _path()
    beside = path.with_name(f".{_FILE}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        return f"The result could not be kept in {path}: {error.strerror}"
    return ""


def last_verification() -> VerifyReport | None:
    """The last verification that came to an end here; ``None`` when there was none, or when its file is damaged."""
    try:
        return msgspec.json.decode(_path().read_bytes(), type=VerifyReport)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("the result of the last verification cannot be read: %s", error)
        return None
