"""The tools ``list_repositories`` and ``what_changed``."""

from __future__ import annotations

import difflib
from typing import Final

from django_mcpz.server import ToolError

from kb.catalog import queries
from kb.catalog.answers import BadCursor, Page, RepositoryView
from kb.catalog.history_answers import ChangesPruned, ChangeView
from kb.mcp.answers import ChangeLine, ChangesAnswer, RepositoriesAnswer, RepositoryLine
from kb.mcp.arguments import ChangeArguments, RepositoryArguments
from kb.mcp.call import Call, Reply, paged
from kb.mcp.framing import NOTICE, line_of
from kb.mcp.readable import changes_text, repositories_text
from kb.mcp.shaping import Teller

__all__ = ["list_repositories", "what_changed"]

_NAME: Final = 40  # tokens
_LANGUAGE: Final = 8
_DESCRIPTION: Final = 30
_MESSAGE: Final = 40
_NEAR: Final = 50
_SHOWN: Final = 80  # characters of a name that is unknown
_STALE: Final = "This cursor belongs to another list. Call the tool again without a cursor."


def list_repositories(call: Call, arguments: RepositoryArguments) -> Reply[RepositoriesAnswer]:
    """The repositories that fit the budget, with the cursor of those that did not. Two queries, rarely more."""

    def page(limit: int) -> Page[RepositoryView]:
        try:
            return queries.repositories(cursor=arguments.cursor, limit=limit, query=arguments.query.strip())
        except BadCursor:
            raise ToolError(_STALE) from None

    def build(found: Page[RepositoryView], count: int) -> Reply[RepositoriesAnswer]:
        return _repositories(call, found, count)

    return paged(page, build, limit=arguments.limit, budget=arguments.max_tokens)


def _repositories(call: Call, found: Page[RepositoryView], count: int) -> Reply[RepositoriesAnswer]:
    teller = Teller(call.base, count)
    rows = [
        RepositoryLine(
            repo=teller.line(row.full_name, _NAME, "a repository's name"),
            records=row.record_count,
            language=teller.line(row.language or "", _LANGUAGE, "a repository") or None,
            description=teller.line(row.description or "", _DESCRIPTION, "a repository's description") if count else "",
        )
        for row in found.items[: max(1, count)]
    ]
    answer = RepositoriesAnswer(
        notice=NOTICE,
        revision=call.state.revision,
        dataset_version=call.state.version,
        repositories=rows,
        total_repositories=call.state.repositories,
        total_records=call.state.records,
        next=found.next,
        warnings=teller.warnings,
        advice="search_errors with repository=owner/name searches one of them." if rows else "",
    )
    return Reply(answer=answer, text=repositories_text(answer), told=len(rows))


def what_changed(call: Call, arguments: ChangeArguments) -> Reply[ChangesAnswer]:
    """The changes that fit the budget, with the cursor of those that did not. Some ten queries."""
    since = arguments.since_revision
    if since is not None and since > call.state.revision:
        raise ToolError(
            f"The catalog is at revision {call.state.revision}: revision {since} is not of this one. Call what_changed "
            "again without since_revision."
        )
    filters = queries.ChangeFilter(
        after=since, repo=_known_repository(arguments.repository), kinds=tuple(dict.fromkeys(arguments.kinds))
    )

    def page(limit: int) -> Page[ChangeView]:
        try:
            return queries.changes(
                filters, cursor=arguments.cursor, limit=limit, order="newest" if since is None else "oldest"
            )
        except BadCursor:
            raise ToolError(_STALE) from None
        except ChangesPruned as pruned:
            raise ToolError(
                f"Changes after revision {pruned.after} are not all kept; call what_changed again with since_revision="
                f"{pruned.oldest}, or without it for the latest changes."
            ) from None

    def build(found: Page[ChangeView], count: int) -> Reply[ChangesAnswer]:
        return _changes(call, found, count)

    return paged(page, build, limit=arguments.limit, budget=arguments.max_tokens)


def _changes(call: Call, found: Page[ChangeView], count: int) -> Reply[ChangesAnswer]:
    teller = Teller(call.base, count)
    rows = [
        ChangeLine(
            revision=view.revision,
            kind=view.kind,
            id=view.record.id,
            url=teller.link(view.record.id),
            error_message=teller.line(view.record.error_message, _MESSAGE, f"record {view.record.id}"),
            repo=teller.line(view.record.repo, _NAME, f"record {view.record.id}"),
        )
        for view in found.items[: max(1, count)]
    ]
    advice = "" if found.next else f"Later, what_changed with since_revision={call.state.revision} tells what is new."
    answer = ChangesAnswer(
        notice=NOTICE,
        revision=call.state.revision,
        dataset_version=call.state.version,
        changes=rows,
        next=found.next,
        warnings=teller.warnings,
        advice=advice,
    )
    return Reply(answer=answer, text=changes_text(answer), told=len(rows))


def _known_repository(name: str | None) -> str | None:
    """The repository's name as the catalog writes it. Raises ``ToolError`` when it has none of that name."""
    if not name:
        return None
    owner, _, rest = name.strip().strip("/").partition("/")
    found = queries.repository(owner, rest) if owner and rest else None
    if found:
        return found.full_name
    near = [
        row.full_name
        for part in dict.fromkeys((f"{owner}/", rest or owner))
        for row in queries.repositories(query=part[:_SHOWN], limit=_NEAR).items
    ]
    best = difflib.get_close_matches(name, near, n=1, cutoff=0.3)
    hint = f"Did you mean {best[0]}? " if best else ""
    raise ToolError(
        f"There is no repository {line_of(name, _SHOWN)!r}. {hint}list_repositories with query=… tells the names."
    )
