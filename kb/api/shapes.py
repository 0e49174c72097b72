"""What the catalog answers, in the shapes that the API gives out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kb.api import answers
from kb.api.links import API_ROOT, api_path, with_parameters
from kb.catalog.answers import ArticleView, RecordRow, RecordView, RejectionView, ReleaseView, RepositoryView, Term
from kb.present import links

__all__ = [
    "article",
    "error_meta",
    "error_summary",
    "record_fields",
    "record_page",
    "rejection",
    "release",
    "repository",
    "summary_fields",
    "summary_members",
    "term",
]

_TERM_PAGES = {
    "family": ("families", links.family_path),
    "code": ("codes", links.code_path),
    "class": ("classes", links.class_path),
    "tag": ("tags", links.tag_path),
}


def error_summary(row: RecordRow, base: str) -> answers.ErrorSummary:
    """A record as a line of a list."""
    return answers.ErrorSummary(**summary_members(row, base))


def search_result(
    row: RecordRow, base: str, *, score: float, highlights: list[answers.Highlight]
) -> answers.SearchResult:
    """A record as a line of a search's answer."""
    return answers.SearchResult(**summary_members(row, base), score=score, highlights=highlights)


def summary_members(row: RecordRow, base: str) -> dict[str, Any]:
    """The members of a record as a line of a list."""
    return {
        "id": row.id,
        "url": base + record_page(row),
        "api_url": base + links.record_api_path(row.id),
        "repo": row.repo,
        "slug": row.slug,
        "error_code": row.error_code,
        "error_message": row.error_message,
        "error_class": row.error_class,
        "error_type": row.error_type,
        "severity": row.severity,
        "http_status": row.http_status,
        "handling_strategy": row.handling_strategy,
        "background_tag": row.family,
        "language": row.language,
        "file_path": row.file_path,
        "line_number": row.line_number,
        "tags": row.tags,
        "excerpt": row.excerpt,
        "status": "retired" if row.retired else "current",
    }


def record_page(row: RecordRow) -> str:
    """The page of a record; a retired one is reached by its id, since its slug may be another's by now."""
    return links.short_path(row.id) if row.retired else links.record_path(row.repo, row.slug)


def record_fields(view: RecordView, fields: Sequence[str] | None) -> msgspec.Raw:
    """The record as JSON, or those of its ``fields`` that it has, in the order asked."""
    return (
        msgspec.Raw(view.raw)
        if fields is None
        else _chosen(msgspec.json.decode(view.raw, type=dict[str, msgspec.Raw]), fields)
    )


def summary_fields(
    summary: answers.ErrorSummary, fields: Sequence[str] | None, view: RecordView | None = None
) -> msgspec.Raw:
    """A line of a list as JSON, or those ``fields`` of it and of the whole record in ``view``, in the order asked."""
    encoded = msgspec.json.encode(summary)
    if fields is None:
        return msgspec.Raw(encoded)
    members = msgspec.json.decode(encoded, type=dict[str, msgspec.Raw])
    if view is not None:
        members |= msgspec.json.decode(view.raw, type=dict[str, msgspec.Raw])
    return _chosen(members, fields)


def _chosen(members: dict[str, msgspec.Raw], fields: Sequence[str]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode({name: members[name] for name in fields if name in members}))


def error_meta(view: RecordView, base: str) -> answers.ErrorMeta:
    """What the catalog knows about a record."""
    row, record = view.row, view.record
    retired = None
    if view.retired_revision is not None:
        retired = answers.Retirement(
            revision=view.retired_revision,
            reason=view.retired_reason,
            successor=view.successor,
            successor_url=base + links.record_api_path(view.successor) if view.successor else None,
        )
    return answers.ErrorMeta(
        url=base + record_page(row),
        short_url=base + links.short_path(row.id),
        api_url=base + links.record_api_path(row.id),
        history_url=f"{base}{links.record_api_path(record.id)}history/",
        markdown_url=None if row.retired else base + links.record_markdown_path(row.repo, row.slug),
        status="retired" if row.retired else "current",
        retired=retired,
        dataset=answers.DatasetRef(
            name=view.dataset, version=view.dataset_version, trusted=view.trusted, also_in=view.holders
        ),
        content_hash=view.content_hash,
        first_revision=view.first_revision,
        changed_revision=view.changed_revision,
        canonical_id=view.canonical_id,
        findings=view.findings,
        language=row.language,
        code_url=base + links.code_path(view.code_key) if view.code_key else msgspec.UNSET,
        class_url=base + links.class_path(view.class_key) if view.class_key else msgspec.UNSET,
        family_url=base + links.family_path(record.background_tag) if record.background_tag else msgspec.UNSET,
        repository=repository(view.repository, base),
    )


def repository(view: RepositoryView, base: str) -> answers.Repository:
    """A repository."""
    return answers.Repository(
        repo=view.full_name,
        owner=view.owner,
        name=view.name,
        url=base + links.repository_path(view.full_name),
        api_url=base + api_path("repositories", view.owner, view.name),
        errors_url=base + _errors("repo", view.full_name),
        description=view.description,
        language=view.language,
        stars=view.stars,
        source_files=view.source_files,
        default_branch=view.default_branch,
        analyzed_sha=view.analyzed_sha,
        analyzed_at=view.analyzed_at,
        error_count=view.record_count,
        status="retired" if view.retired else "current",
    )


def term(view: Term, base: str) -> answers.TermEntry:
    """A family, code, class or tag."""
    plural, page = _TERM_PAGES[view.kind]
    return answers.TermEntry(
        kind=view.kind,
        key=view.key,
        label=view.label,
        url=base + page(view.key),
        api_url=base + api_path(plural, view.key),
        errors_url=base + _errors(view.kind, view.label),
        error_count=view.record_count,
        repository_count=view.repository_count,
    )


def _errors(name: str, value: str) -> str:
    return with_parameters(f"{API_ROOT}errors/", {name: value})


def article(view: ArticleView) -> answers.Article:
    """A background article."""
    return answers.Article(
        slug=view.slug,
        title=view.title,
        summary=view.summary,
        background=view.background,
        common_causes=[answers.Cause(cause=cause, detail=detail) for cause, detail in view.common_causes],
        fixes=view.fixes,
        error_ids=view.error_ids,
        generated_at=view.generated_at,
    )


def release(view: ReleaseView, base: str) -> answers.Release:
    """An import and its report."""
    path = api_path("releases", str(view.id))
    return answers.Release(
        id=view.id,
        url=base + links.release_path(view.id),
        api_url=base + path,
        rejections_url=f"{base}{path}rejections/",
        dataset=view.dataset,
        dataset_version=view.dataset_version,
        source=view.source,
        state=view.state,
        revision=view.revision,
        started_at=view.started_at,
        finished_at=view.finished_at,
        seconds=view.seconds,
        added=view.added,
        changed=view.changed,
        unchanged=view.unchanged,
        retired=view.retired,
        restored=view.restored,
        rejected=view.rejected,
        warnings=view.warnings,
        notices=tuple(view.notices),
        unknown_fields=tuple(view.unknown_fields),
        problem_counts=view.problem_counts,
        error=view.error,
    )


def rejection(view: RejectionView) -> answers.Rejection:
    """A rule that a record broke."""
    return answers.Rejection(
        id=view.id,
        origin=view.origin,
        position=view.position,
        record_id=view.record_id,
        repo=view.repo,
        path=view.path,
        rule=view.rule,
        message=view.message,
        value=view.value,
        raw=view.raw,
    )
