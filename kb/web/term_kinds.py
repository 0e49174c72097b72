"""The kinds of terms that have pages: how these are addressed and worded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kb.catalog.answers import RecordFilter, TermKind
from kb.present import links

__all__ = ["KINDS", "TermPages"]


@dataclass(frozen=True, kw_only=True)
class TermPages:
    """How the pages of one kind are addressed and worded. ``machine`` says that its labels are set as code."""

    kind: TermKind
    one: str
    many: str
    path: str
    path_of: Callable[[str], str]
    filters: Callable[[str], RecordFilter]
    explanation: str
    machine: bool = True


KINDS: dict[str, TermPages] = {
    "families": TermPages(
        kind="family",
        one="Family",
        many="Families",
        path=links.FAMILIES,
        path_of=links.family_path,
        filters=lambda key: RecordFilter(family=key),
        explanation="Errors of one kind, whatever the repository that raises them.",
        machine=False,
    ),
    "codes": TermPages(
        kind="code",
        one="Code",
        many="Codes",
        path=links.CODES,
        path_of=links.code_path,
        filters=lambda key: RecordFilter(code_key=key),
        explanation="The codes that programs give their errors, such as those a log line begins with.",
    ),
    "classes": TermPages(
        kind="class",
        one="Class",
        many="Classes",
        path=links.CLASSES,
        path_of=links.class_path,
        filters=lambda key: RecordFilter(class_key=key),
        explanation="The exception and error classes that are raised, the last line of many a stack trace.",
    ),
    "tags": TermPages(
        kind="tag",
        one="Tag",
        many="Tags",
        path=links.TAGS,
        path_of=links.tag_path,
        filters=lambda key: RecordFilter(tag=key),
        explanation="Subjects that records were filed under.",
        machine=False,
    ),
}
