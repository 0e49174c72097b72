"""What changed in a record, field by field: prose by words, code by lines, lists by entries, the rest by value. Pure.

Every field that differs is told, those that the contract does not name included, and nothing else: two records without
a difference here are the same record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from kb.present.diff_runs import Part, line_parts, runs, word_parts
from kb.present.wording import pretty_json
from kb.records.encode import encode
from kb.records.record import Record

__all__ = ["FieldChange", "Unit", "field_changes"]

Unit = Literal["words", "lines", "entries", "value"]
_MISSING: Final = object()
_LITTLE: Final = 4  # an entry of which less than one in so many characters stayed is another one
_MOST_TEXT: Final = 100_000  # characters of one text that are compared; a longer one is replaced as a whole
_MOST_COMPARED: Final = 400_000  # and of all texts of a record together

# Field → (title, unit), in the order in which the record's page has them.
_FIELDS: Final[Mapping[str, tuple[Promise, Unit]]] = {
    "errorMessage": (gettext_lazy("Message"), "words"),
    "errorCode": (gettext_lazy("Code"), "value"),
    "errorClass": (gettext_lazy("Class"), "value"),
    "errorType": (gettext_lazy("Type"), "value"),
    "severity": (gettext_lazy("Severity"), "value"),
    "httpStatus": (gettext_lazy("HTTP status"), "value"),
    "handlingStrategy": (gettext_lazy("Strategy"), "value"),
    "backgroundTag": (gettext_lazy("Family"), "value"),
    "repo": (gettext_lazy("Repository"), "value"),
    "slug": (gettext_lazy("Slug"), "value"),
    "documentation": (gettext_lazy("What it means"), "words"),
    "solutions": (gettext_lazy("How to fix it"), "entries"),
    "filePath": (gettext_lazy("File"), "value"),
    "lineNumber": (gettext_lazy("Line"), "value"),
    "sourceCode": (gettext_lazy("Source"), "lines"),
    "sourceCodeStart": (gettext_lazy("First line of the snippet"), "value"),
    "sourceCodeEnd": (gettext_lazy("Last line of the snippet"), "value"),
    "exampleFix": (gettext_lazy("Example fix"), "lines"),
    "tryCatchPattern": (gettext_lazy("Catch it"), "lines"),
    "validationCode": (gettext_lazy("Validate before"), "lines"),
    "typeGuard": (gettext_lazy("Guard the type"), "lines"),
    "triggerScenarios": (gettext_lazy("What triggers it"), "words"),
    "commonSituations": (gettext_lazy("When it commonly happens"), "words"),
    "preventionTips": (gettext_lazy("How to prevent it"), "entries"),
    "tags": (gettext_lazy("Tags"), "entries"),
    "messagePattern": (gettext_lazy("Message pattern"), "value"),
    "githubUrl": (gettext_lazy("Permalink"), "value"),
    "analyzedSha": (gettext_lazy("Analyzed commit"), "value"),
    "analyzedAt": (gettext_lazy("Analyzed at"), "value"),
    "contentChangedAt": (gettext_lazy("Content changed at"), "value"),
    "schemaVersion": (gettext_lazy("Schema version"), "value"),
    "id": (gettext_lazy("Id"), "value"),
}


@dataclass(frozen=True, kw_only=True)
class FieldChange:
    """How one field changed.

    ``parts`` show texts by words or lines, and for values what was and what is, as text; ``entries`` show lists, one
    tuple of parts for each entry that was or is there. Kept and removed parts together are the old text, kept and
    added ones the new. A field that was not there, or had no value, has only added parts.
    """

    field: str
    label: str
    unit: Unit
    kind: Literal["added", "removed", "changed"]
    parts: tuple[Part, ...] = ()
    entries: tuple[tuple[Part, ...], ...] = ()


def field_changes(before: Record, after: Record) -> tuple[FieldChange, ...]:
    """The fields in which two records differ, in the order of the record's page, unknown ones last.

    Bounded in time whatever the records hold.
    """
    old, new = encode(before), encode(after)
    names = [*_FIELDS, *sorted((old.keys() | new.keys()) - _FIELDS.keys())]
    return tuple(_changes(names, old, new))


def _changes(names: Sequence[str], old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[FieldChange]:
    compared = 0
    for name in names:
        one, two = old.get(name, _MISSING), new.get(name, _MISSING)
        if _same(one, two):
            continue
        title, unit = _FIELDS.get(name) or (name, "lines")
        label = str(title)
        if unit == "entries":
            entries = tuple(_entries(_listed(one), _listed(two)))
            yield FieldChange(field=name, label=label, unit=unit, kind=_kind(one, two), entries=entries)
        else:
            was, now = _text(one, known=name in _FIELDS), _text(two, known=name in _FIELDS)
            compared += max(len(was), len(now))
            parts = _parts(was, now, unit if compared <= _MOST_COMPARED else "value")
            yield FieldChange(field=name, label=label, unit=unit, kind=_kind(one, two), parts=parts)


def _same(one: Any, two: Any) -> bool:
    """Whether two values are the same in JSON, where ``1``, ``1.0`` and ``true`` are three."""
    return (
        type(one) is type(two)
        and (one is two or one == two)
        and (not isinstance(one, dict | list | float) or repr(one) == repr(two))
    )


def _kind(one: Any, two: Any) -> Literal["added", "removed", "changed"]:
    empty: tuple[Any, ...] = (_MISSING, None, [])
    if any(one is value or one == value for value in empty):
        return "added"
    return "removed" if any(two is value or two == value for value in empty) else "changed"


def _text(value: Any, *, known: bool) -> str:
    """A value as text. Nothing and null are both empty where the contract names the field: it says which of the two."""
    if value is _MISSING or (value is None and known):
        return ""
    return value if isinstance(value, str) and known else pretty_json(value)


def _listed(value: Any) -> list[str]:
    return list(value) if isinstance(value, list) else []


def _parts(before: str, after: str, unit: Unit) -> tuple[Part, ...]:
    if before and after and unit in {"words", "lines"} and max(len(before), len(after)) <= _MOST_TEXT:
        return word_parts(before, after) if unit == "words" else line_parts(before, after)
    kinds: tuple[tuple[Literal["delete", "insert"], str], ...] = (("delete", before), ("insert", after))
    return tuple(Part(kind, text) for kind, text in kinds if text)


def _entries(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Part, ...]]:
    """Entry by entry; where some were replaced by others, each is compared with the one that took its place."""
    found = runs(old, new)
    for place, run in enumerate(found):
        if run.kind == "equal":
            yield from ((Part("equal", text),) for text in old[slice(*run.first)])
        elif run.kind == "delete":
            following = found[place + 1] if place + 1 < len(found) else None
            added = new[slice(*following.second)] if following and following.kind == "insert" else []
            removed = old[slice(*run.first)]
            for one, two in zip(removed, added, strict=False):
                yield from _replaced(one, two)
            yield from ((Part("delete", text),) for text in removed[len(added) :])
            yield from ((Part("insert", text),) for text in added[len(removed) :])
        elif place == 0 or found[place - 1].kind != "delete":
            yield from ((Part("insert", text),) for text in new[slice(*run.second)])


def _replaced(one: str, two: str) -> Iterator[tuple[Part, ...]]:
    """An entry and the one in its place: one entry that changed, or two when they have little in common."""
    parts = _parts(one, two, "words")
    kept = sum(len(part.text) for part in parts if part.kind == "equal")
    if kept * _LITTLE >= max(len(one), len(two)) > 0:
        yield parts
        return
    yield (Part("delete", one),)
    yield (Part("insert", two),)
