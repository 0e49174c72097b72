"""What the search index holds of a record, as a plain frozen value."""

from __future__ import annotations

from typing import NamedTuple, Self

from kb.catalog.answers import RecordView

__all__ = ["SearchFact"]


class SearchFact(NamedTuple):
    """What searching needs of a record: fields of the record as it has them, the language of its file, and the
    revisions in which it came and was retired.
    """

    id: str
    repo: str
    slug: str
    error_code: str | None
    error_class: str | None
    error_message: str
    error_type: str
    severity: str
    http_status: int | None
    handling_strategy: str | None
    background_tag: str | None
    file_path: str
    language: str | None
    documentation: str
    trigger_scenarios: str
    common_situations: str
    source_code: str | None
    example_fix: str | None
    validation_code: str | None
    type_guard: str | None
    try_catch_pattern: str | None
    solutions: tuple[str, ...]
    prevention_tips: tuple[str, ...]
    tags: tuple[str, ...]
    first_revision: int
    retired_revision: int | None

    @property
    def retired(self) -> bool:
        """Whether the record has left its dataset."""
        return self.retired_revision is not None

    @classmethod
    def of(cls, view: RecordView) -> Self:
        """What a whole record says of it."""
        record, row = view.record, view.row
        own = {
            "language": row.language,
            "first_revision": view.first_revision,
            "retired_revision": view.retired_revision,
        }
        return cls._make(own[name] if name in own else getattr(record, name) for name in cls._fields)
