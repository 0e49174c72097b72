"""Whether this site is fine: what there is to check, how each check stands, and the sentence that sums them up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext, ngettext

from kb.catalog.answers import CatalogView, ReleaseView
from kb.imports.verification.report import VerifyReport
from kb.matching.index.revisions import MatchStatus
from kb.present.change_words import import_outcome
from kb.present.numbers import grouped
from kb.search.index import IndexStatus

__all__ = ["Check", "Indexes", "Level", "checks_of", "verdict_of"]

Level = Literal["fine", "quiet", "warning", "error"]


@dataclass(frozen=True, kw_only=True)
class Indexes:
    """How the two indexes are, and whether they serve the current revision."""

    search: IndexStatus
    searching: bool
    matching: MatchStatus
    explaining: bool


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that can be well or not. ``quiet`` is neither; ``anchor`` is where the page says more."""

    level: Level
    name: str
    text: str
    anchor: str = ""


def checks_of(
    state: CatalogView, indexes: Indexes, verified: VerifyReport | None, latest: Sequence[ReleaseView]
) -> tuple[Check, ...]:
    """All checks, in the order in which they matter to readers."""
    if not state.revision:
        return (Check(level="quiet", name=gettext("Catalog"), text=gettext("Nothing has been imported yet.")),)
    return (
        _catalog(state),
        _index(gettext("Search"), indexes.search, usable=indexes.searching),
        _index(gettext("Explanations"), indexes.matching, usable=indexes.explaining),
        _verification(state, verified),
        *([_last_import(latest[0])] if latest else []),
    )


def verdict_of(state: CatalogView, indexes: Indexes, checks: Sequence[Check]) -> tuple[Level, str]:
    """How the whole stands, and the sentence for it. Pages are answered from the database whatever else is."""
    if not state.revision:
        return "quiet", gettext("Nothing has been imported yet.")
    behind = {
        (False, False): gettext("Pages work; search and explanations do not follow the newest revision."),
        (False, True): gettext("Pages work; search does not follow the newest revision."),
        (True, False): gettext("Pages work; explanations do not follow the newest revision."),
    }.get((indexes.searching, indexes.explaining))
    if behind:
        return "error", behind
    if any(check.level == "error" for check in checks):
        return "error", gettext("Everything answers, but the catalog is not what it should be.")
    if any(check.level == "warning" for check in checks):
        return "warning", gettext("Everything works; something wants to be looked at.")
    return "fine", gettext("Everything works.")


def _catalog(state: CatalogView) -> Check:
    text = ngettext(
        "%(records)s record at revision %(revision)s.", "%(records)s records at revision %(revision)s.", state.records
    )
    numbers = {"records": grouped(state.records), "revision": grouped(state.revision)}
    return Check(level="fine", name=gettext("Catalog"), text=text % numbers, anchor="catalog")


def _index(name: str, index: IndexStatus | MatchStatus, *, usable: bool) -> Check:
    if usable:
        return Check(level="fine", name=name, text=gettext("Serves the current revision."), anchor="indexes")
    if index.newest is None:
        text = gettext("It has no index here.")
    elif index.problem:
        text = gettext("Its index cannot be used.")
    else:
        text = gettext("Its index is of revision %(revision)s.") % {"revision": grouped(index.newest)}
    return Check(level="error", name=name, text=text, anchor="indexes")


def _verification(state: CatalogView, verified: VerifyReport | None) -> Check:
    level: Level = "fine"
    if verified is None:
        level, text = "quiet", gettext("Not verified here yet.")
    elif verified.left:
        level = "error"
        text = ngettext(
            "%(number)s fault was found and not mended.", "%(number)s faults were found and not mended.", verified.left
        ) % {"number": grouped(verified.left)}
    elif verified.error:
        level, text = "warning", gettext("The last one did not come to its end.")
    elif (verified.revision, verified.version) != (state.revision, state.version):
        level, text = "quiet", gettext("Sound at revision %(revision)s, an earlier one.")
        text %= {"revision": grouped(verified.revision)}
    else:
        text = gettext("Sound.")
    return Check(level=level, name=gettext("Verification"), text=text, anchor="verified")


def _last_import(release: ReleaseView) -> Check:
    told = {"dataset": release.dataset, "outcome": import_outcome(release)}
    level: Level = "fine"
    if release.state in {"failed", "refused"}:
        level, text = "warning", gettext("%(dataset)s: it did not succeed, and changed nothing.")
    elif release.state == "held":
        level, text = "warning", gettext("%(dataset)s: it waits for somebody to look at it.")
    elif release.state == "running":
        level, text = "quiet", gettext("%(dataset)s: it is running.")
    elif release.state == "canceled":
        level, text = "quiet", gettext("%(dataset)s: it was canceled.")
    else:
        text = gettext("%(dataset)s: %(outcome)s.")
    return Check(level=level, name=gettext("Last import"), text=text % told, anchor="latest")
