"""The kinds of terms that have pages: how these are addressed and worded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from kb.catalog.answers import RecordFilter, TermKind
from kb.present import links

__all__ = ["KINDS", "TermPages"]


@dataclass(frozen=True, kw_only=True)
class TermPages:
    """How the pages of one kind are addressed and worded. ``machine`` says that its labels are set as code."""

    kind: TermKind
    singular: Promise
    plural: Promise
    within: Promise
    path: str
    path_of: Callable[[str], str]
    filters: Callable[[str], RecordFilter]
    about: Promise
    machine: bool = True

    @property
    def one(self) -> str:
        """``Family``, in the language of the site."""
        return str(self.singular)

    @property
    def noun(self) -> str:
        """``family``, as it stands within a sentence."""
        return str(self.within)

    @property
    def many(self) -> str:
        """``Families``."""
        return str(self.plural)

    @property
    def explanation(self) -> str:
        """What such terms are, in a sentence."""
        return str(self.about)


KINDS: dict[str, TermPages] = {
    "families": TermPages(
        kind="family",
        singular=gettext_lazy("Family"),
        plural=gettext_lazy("Families"),
        within=pgettext_lazy("within a sentence", "family"),
        path=links.FAMILIES,
        path_of=links.family_path,
        filters=lambda key: RecordFilter(family=key),
        about=gettext_lazy("Errors of one kind, whatever the repository that raises them."),
        machine=False,
    ),
    "codes": TermPages(
        kind="code",
        singular=gettext_lazy("Code"),
        plural=gettext_lazy("Codes"),
        within=pgettext_lazy("within a sentence", "code"),
        path=links.CODES,
        path_of=links.code_path,
        filters=lambda key: RecordFilter(code_key=key),
        about=gettext_lazy("The codes that programs give their errors, such as those a log line begins with."),
    ),
    "classes": TermPages(
        kind="class",
        singular=gettext_lazy("Class"),
        plural=gettext_lazy("Classes"),
        within=pgettext_lazy("within a sentence", "class"),
        path=links.CLASSES,
        path_of=links.class_path,
        filters=lambda key: RecordFilter(class_key=key),
        about=gettext_lazy("The exception and error classes that are raised, the last line of many a stack trace."),
    ),
    "tags": TermPages(
        kind="tag",
        singular=gettext_lazy("Tag"),
        plural=gettext_lazy("Tags"),
        within=pgettext_lazy("within a sentence", "tag"),
        path=links.TAGS,
        path_of=links.tag_path,
        filters=lambda key: RecordFilter(tag=key),
        about=gettext_lazy("Subjects that records were filed under."),
        machine=False,
    ),
}
