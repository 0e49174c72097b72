"""A harvest from beginning to end: what is known from earlier ones, reading the rest on all cores, making records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from kb.harvest.cache import HarvestCache
from kb.harvest.crew import Crew
from kb.harvest.facts import ModuleFacts
from kb.harvest.gate import GateReport
from kb.harvest.packages import Origin
from kb.harvest.subjects import Skipped, SourceFile, Subject
from kb.harvest.work import Assignment, Composed, Composition, Row, compose, read_batch, unpack_rows

__all__ = ["PackageHarvest", "Plan", "arranged", "harvest"]

_BATCH: Final = 400_000  # bytes of source that a process reads at a time
_GROUP: Final = 24_000_000  # bytes of source whose facts are held at a time
_SMALL: Final = 1_500_000  # bytes of source that are read sooner than a process is started
_ENDED: Final = "reading it ended the process that did"


class PackageHarvest(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one subject. ``kept`` says that it comes from the cache as a whole."""

    origin: Origin
    files: int
    left_out: dict[str, int] = {}
    skipped: tuple[Skipped, ...] = ()
    gate: GateReport = GateReport()
    count: int = 0
    packed: bytes = b""
    kept: bool = False

    def rows(self) -> list[Row]:
        """The records."""
        return unpack_rows(self.packed)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to harvest, as :func:`arranged`. ``available`` are the top-level names that can be imported beside it."""

    subjects: tuple[Subject, ...]
    available: frozenset[str] = frozenset()


class _Kept(msgspec.Struct, frozen=True):
    """What the cache holds of a subject in a certain state."""

    state: str
    composed: Composed


class _KeptFacts(msgspec.Struct, frozen=True):
    """The facts of a subject's modules by :func:`_file_key`."""

    modules: dict[str, bytes]


def arranged(subjects: Iterable[Subject]) -> tuple[Subject, ...]:
    """The subjects by repository and name, each once; repositories that differ in case only are under one name, since
    files need that.
    """
    subjects = {_name(subject): subject for subject in subjects}.values()
    spelled: dict[str, str] = {}
    for name in sorted({subject.origin.repository for subject in subjects}):
        spelled.setdefault(name.casefold(), name)
    return tuple(
        sorted(
            (_under(subject, spelled[subject.origin.repository.casefold()]) for subject in subjects),
            key=lambda subject: (subject.origin.repository, subject.origin.distribution, subject.origin.folder),
        )
    )


def harvest(plan: Plan, *, crew: Crew, cache: HarvestCache) -> Iterator[PackageHarvest]:
    """The records of each subject, in their order. What is not in the cache is read, and kept there."""
    for group in _groups(plan.subjects):
        known = [_known(subject, cache, plan.available) for subject in group]
        missing = [subject for subject, found in zip(group, known, strict=True) if found is None]
        facts = [_facts(subject, cache) for subject in missing]
        _read(missing, facts, crew)
        made = _made(missing, facts, crew, plan.available)
        for number, subject in enumerate(missing):
            _keep(subject, facts[number], made[number], cache)
        fresh = iter(made)
        for subject, found in zip(group, known, strict=True):
            yield _result(subject, found if found is not None else next(fresh), kept=found is not None)
    cache.make_room()


# --- the cache --------------------------------------------------------------------------------------------------------


def _known(subject: Subject, cache: HarvestCache, available: frozenset[str]) -> Composed | None:
    kept = cache.get(_name(subject), "records", _Kept)
    if kept is None or kept.state != _state(subject):
        return None
    return kept.composed if kept.composed.imports & available == kept.composed.available else None


def _facts(subject: Subject, cache: HarvestCache) -> dict[str, bytes]:
    """What is known of the subject's files as they are now."""
    kept = cache.get(_name(subject), "facts", _KeptFacts)
    wanted = {_file_key(file) for file in subject.files}
    return {key: facts for key, facts in (kept.modules if kept is not None else {}).items() if key in wanted}


def _keep(subject: Subject, facts: dict[str, bytes], made: Composed | None, cache: HarvestCache) -> None:
    """Keeps what was read; what ended a process is tried again the next time."""
    if made is not None and len(facts) == len(subject.files):
        cache.put(_name(subject), "facts", _KeptFacts(facts))
        cache.put(_name(subject), "records", _Kept(_state(subject), made))


def _name(subject: Subject) -> str:
    origin = subject.origin
    return f"{origin.distribution} {origin.folder} {subject.place}"


def _state(subject: Subject) -> str:
    """A digest of all that the records are made from: the origin, which has a digest of the files."""
    return hashlib.sha256(msgspec.msgpack.encode(subject.origin)).hexdigest()


def _file_key(file: SourceFile) -> str:
    return f"{file.digest} {file.relative}"


# --- the work ---------------------------------------------------------------------------------------------------------


def _read(missing: Sequence[Subject], facts: Sequence[dict[str, bytes]], crew: Crew) -> None:
    """Reads what is not known yet into ``facts``. A file that ends the process which reads it is not in there."""
    todo: list[tuple[int, SourceFile]] = []
    for number, subject in enumerate(missing):
        todo += [(number, file) for file in subject.files if _file_key(file) not in facts[number]]
    here = sum(file.size for _, file in todo) < _SMALL
    alone: list[tuple[int, SourceFile]] = []
    for batch, read in crew.run(read_batch, _jobs(missing, _batches(todo)), here=here):
        if read is None:
            alone += batch
        else:
            _enter(batch, read, facts)
    for batch, read in crew.run(read_batch, _jobs(missing, [[row] for row in alone]), here=False):
        if read is not None:
            _enter(batch, read, facts)


def _enter(batch: list[tuple[int, SourceFile]], read: list[bytes], facts: Sequence[dict[str, bytes]]) -> None:
    for (number, file), found in zip(batch, read, strict=True):
        facts[number][_file_key(file)] = found


def _batches(todo: Sequence[tuple[int, SourceFile]]) -> list[list[tuple[int, SourceFile]]]:
    """Files for one process at a time; the largest first, so that none is left over at the end."""
    batches: list[list[tuple[int, SourceFile]]] = []
    size = _BATCH
    for number, file in sorted(todo, key=lambda row: -row[1].size):
        if size >= _BATCH:
            batches.append([])
            size = 0
        batches[-1].append((number, file))
        size += file.size
    return batches


def _jobs(
    missing: Sequence[Subject], batches: Sequence[list[tuple[int, SourceFile]]]
) -> list[tuple[list[tuple[int, SourceFile]], tuple[Assignment, ...]]]:
    return [
        (
            batch,
            tuple(Assignment(file.path, missing[number].origin.distribution, file.relative) for number, file in batch),
        )
        for batch in batches
    ]


def _made(
    missing: Sequence[Subject], facts: Sequence[dict[str, bytes]], crew: Crew, available: frozenset[str]
) -> list[Composed | None]:
    """The records of each subject; ``None`` where making them ended the process."""
    made: list[Composed | None] = [None] * len(missing)
    by_size = sorted(range(len(missing)), key=lambda number: -missing[number].size)
    jobs = [(number, _composition(missing[number], facts[number], available)) for number in by_size]
    for number, composed in crew.run(compose, jobs, here=sum(subject.size for subject in missing) < _SMALL):
        made[number] = composed
    return made


def _composition(subject: Subject, facts: dict[str, bytes], available: frozenset[str]) -> Composition:
    modules = (facts.get(_file_key(file)) or _ended(subject, file) for file in subject.files)
    return Composition(subject.origin, tuple(modules), available)


def _ended(subject: Subject, file: SourceFile) -> bytes:
    facts = ModuleFacts(package=subject.origin.distribution, relative=file.relative, module="", problem=_ENDED)
    return msgspec.msgpack.encode(facts)


def _result(subject: Subject, composed: Composed | None, *, kept: bool) -> PackageHarvest:
    if composed is None:
        composed = Composed(unread=((".", "making its records ended the process that did"),))
    unread = tuple(Skipped(f"{subject.place}/{relative}", why) for relative, why in composed.unread)
    return PackageHarvest(
        origin=subject.origin,
        files=len(subject.files) - len(unread),
        left_out=subject.left_out,
        skipped=subject.skipped + unread,
        gate=composed.gate,
        count=composed.count,
        packed=composed.packed,
        kept=kept,
    )


def _groups(subjects: Sequence[Subject]) -> Iterator[list[Subject]]:
    group: list[Subject] = []
    size = 0
    for subject in subjects:
        group.append(subject)
        size += subject.size
        if size >= _GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


def _under(subject: Subject, repository: str) -> Subject:
    if subject.origin.repository == repository:
        return subject
    return msgspec.structs.replace(subject, origin=msgspec.structs.replace(subject.origin, repository=repository))
