"""Registered datasets: which addresses may be registered, and their updates one after the other."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from kb.catalog import queries
from kb.catalog.registrations import Registered, Registration, register
from kb.catalog.work_answers import DatasetView
from kb.imports.options import ImportOptions, ImportReport
from kb.imports.pipeline import run_import
from kb.imports.progress import ProgressReporter
from kb.imports.refusals import Refusal
from kb.imports.sources.addresses import FetchRules, parse_address

__all__ = ["NAME", "address_notices", "chosen_datasets", "options_for", "register_dataset", "update_dataset"]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_COMPLETE = {"complete": True, "partial": False, "": None}
_MOST_PRIORITY = 1_000_000
_MOST_SCHEDULE = 100


def register_dataset(wanted: Registration) -> Registered:
    """Registers a dataset, or changes what is registered of it. A path is kept as an absolute one.

    Where the answer's ``rank_waits``, :func:`kb.imports.ranking.run_ranking` is to follow. Raises :class:`Refusal` for
    a name, an address or a value that cannot be registered.
    """
    if not NAME.fullmatch(wanted.name):
        rule = "1 to 100 letters, digits, '.', '_' and '-', the first a letter or a digit"
        raise Refusal("bad_name", "", f"{wanted.name[:120]!r} is no name of a dataset: {rule}")
    if wanted.priority is not None and abs(wanted.priority) > _MOST_PRIORITY:
        raise Refusal("bad_priority", "", f"the priority must be from -{_MOST_PRIORITY} to {_MOST_PRIORITY}")
    schedule = wanted.schedule or ""
    if len(schedule) > _MOST_SCHEDULE or not schedule.isprintable():
        raise Refusal("bad_schedule", "", f"the schedule is a note of at most {_MOST_SCHEDULE} characters on one line")
    return register(dataclasses.replace(wanted, address=_checked_address(wanted.address)))


def address_notices(address: str) -> list[str]:
    """What will keep a registered address from being read as things are; it may be mended later."""
    if "://" not in address:
        path = Path(address).expanduser().absolute()
        return [] if path.exists() else [f"There is nothing at {path} yet."]
    found = parse_address(address)
    if found.scheme == "http" and not found.is_loopback and not FetchRules.from_settings().plain_http:
        return [f"{found.shown} is plain http: it is fetched only where KB_FETCH_HTTP allows that."]
    return []


def chosen_datasets(names: Sequence[str]) -> tuple[DatasetView, ...]:
    """The datasets to update: those named, in this order, or all that are registered, the first in rank first.

    Raises :class:`Refusal` for a name that is not registered.
    """
    known = {view.name: view for view in queries.registered_datasets()}
    unknown = [name for name in names if name not in known]
    if unknown:
        valid = ", ".join(known) or "none"
        raise Refusal("not_registered", "", f"{unknown[0]} is not registered with an address; registered: {valid}")
    return tuple(known[name] for name in dict.fromkeys(names)) if names else tuple(known.values())


def options_for(view: DatasetView, **chosen: object) -> ImportOptions:
    """The options of an import of a registered dataset; ``chosen`` are those that its caller gave."""
    return ImportOptions(**{"dataset": view.name, "complete": _COMPLETE[view.coverage], **chosen})  # type: ignore[arg-type]


def update_dataset(
    view: DatasetView, options: ImportOptions, *, progress: ProgressReporter | None = None
) -> ImportReport:
    """Reads a registered dataset from its address. Never raises; the report says what came of it."""
    return run_import([view.address], options, progress=progress)


def _checked_address(address: str) -> str:
    """The address as it is kept. Raises :class:`Refusal`."""
    if not address or not address.isprintable() or address == "-":
        raise Refusal("bad_address", "", "the address must be a path or an https address; standard input is none")
    if "://" not in address:
        return str(Path(address).expanduser().absolute())
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise Refusal("bad_address", address, f"cannot be read as an address: {error}") from error
    if parts.scheme not in {"http", "https"} or not host:
        raise Refusal("bad_address", address, "only https and http addresses can be read")
    if parts.username is not None or parts.password is not None:
        raise Refusal("bad_address", host, "an address with a user name or password would show it to others")
    parse_address(address)
    return address
