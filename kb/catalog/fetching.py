"""Whole records by statements of our own, for the reads that are asked most.

Django makes a statement anew each time it is asked, which takes several times as long as the database's answer when
a row has seventy columns. These are made once; the rows they give are the same models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from django.db import connection, models

from kb.catalog.models import Dataset, Record, Repository
from kb.catalog.rows import ROW_FIELDS

__all__ = ["fetch_keys", "fetch_lines", "fetch_records", "fetch_rows"]

_BATCH = 500
_decode = msgspec.json.Decoder().decode

# The columns of each model that a record is shown with, in the order in which the model has them.
_RECORD: tuple[Any, ...] = tuple(Record._meta.concrete_fields)  # noqa: SLF001  Django's documented way to a model's fields
_REPOSITORY: tuple[Any, ...] = tuple(Repository._meta.concrete_fields)  # noqa: SLF001
_DATASET: tuple[Any, ...] = tuple(Dataset._meta.get_field(name) for name in ("id", "name", "trusted", "version"))  # noqa: SLF001
_SELECT = (
    "SELECT "  # noqa: S608  our own words
    + ", ".join(
        f"{table}.{field.column}"
        for table, fields in (("r", _RECORD), ("p", _REPOSITORY), ("d", _DATASET))
        for field in fields
    )
    + " FROM catalog_record r JOIN catalog_repository p ON p.full_name = r.repo"
    " JOIN catalog_dataset d ON d.id = r.dataset_id WHERE "
)
_LINE = ", ".join("repo" if name == "repository_id" else name for name in ROW_FIELDS)
_TAGS = ROW_FIELDS.index("tags")


def _converters(fields: Sequence[Any]) -> list[tuple[int, Callable[[Any], Any]]]:
    """What a database gives otherwise than the model has it: JSON as text, and on SQLite truth as a number."""
    kinds = ((models.JSONField, _decode), (models.BooleanField, bool))
    return [
        (place, convert) for place, field in enumerate(fields) for kind, convert in kinds if isinstance(field, kind)
    ]


class _Maker:
    """Makes instances of a model from values in the order of its fields."""

    def __init__(self, model: type[models.Model], fields: Sequence[Any]) -> None:
        self._model = model
        self._names = [field.attname for field in fields]
        self._converters = _converters(fields)

    def make(self, values: Sequence[Any]) -> Any:
        row = list(values)
        for place, convert in self._converters:
            if row[place] is not None:
                row[place] = convert(row[place])
        return self._model.from_db(connection.alias, self._names, row)


_records, _repositories, _datasets = _Maker(Record, _RECORD), _Maker(Repository, _REPOSITORY), _Maker(Dataset, _DATASET)
_FIRST, _SECOND = len(_RECORD), len(_RECORD) + len(_REPOSITORY)


def fetch_records(condition: str, params: Sequence[Any]) -> list[Record]:
    """The records that meet ``condition``, which may order and limit, with repository and dataset. One query.

    ``condition`` is a constant of ours in which the record is ``r``; ``params`` are its values.
    """
    repositories: dict[str, Repository] = {}
    datasets: dict[int, Dataset] = {}
    found = []
    for values in _rows(_SELECT + condition, params):
        record: Record = _records.make(values[:_FIRST])
        if record.repository_id not in repositories:
            repositories[record.repository_id] = _repositories.make(values[_FIRST:_SECOND])
        if record.dataset_id not in datasets:
            datasets[record.dataset_id] = _datasets.make(values[_SECOND:])
        record.repository = repositories[record.repository_id]
        record.dataset = datasets[record.dataset_id]
        found.append(record)
    return found


def fetch_lines(statement: str, params: Any) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """For each row of ``statement``, the values of ``ROW_FIELDS`` and those after them. One query.

    ``statement`` is a constant of ours in which ``{line}`` stands for the columns.
    """
    for values in _rows(statement.replace("{line}", _LINE), params):
        line = list(values[: len(ROW_FIELDS)])
        line[_TAGS] = _decode(line[_TAGS])
        yield tuple(line), tuple(values[len(ROW_FIELDS) :])


def fetch_keys(statement: str, params: Sequence[Any]) -> list[str]:
    """The first column of each row of ``statement``, a constant of ours. One query."""
    return [values[0] for values in _rows(statement, params)]


def fetch_rows(statement: str, params: Any) -> list[tuple[Any, ...]]:
    """The rows of ``statement``, a constant of ours, as the database gives them. One query."""
    return _rows(statement, params)


def _rows(statement: str, params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
