"""The live page of imports, for staff: what runs, what waits, what came of the last ones."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from kb.catalog import queries
from kb.catalog.work_answers import ImportJobView
from kb.imports.jobs.folders import JobFolder
from kb.imports.progress import duration
from kb.imports.running import running_import

__all__ = ["imports_page", "imports_part"]

_SHOWN = 20


@never_cache
@require_safe
def imports_page(request: HttpRequest) -> HttpResponse:
    """The page; its script asks again for the part that changes."""
    context = {**admin.site.each_context(request), "title": "Imports", **_state()}
    return TemplateResponse(request, "admin/imports.html", context)


@never_cache
@require_safe
def imports_part(request: HttpRequest) -> HttpResponse:
    """The part of the page that changes."""
    return TemplateResponse(request, "admin/imports_part.html", _state())


def _state() -> dict[str, Any]:
    running = running_import()
    jobs = queries.import_jobs(limit=_SHOWN).items
    return {
        "running": {**running, **_words(running)} if running else None,
        "jobs": [(job, _outcome(job), _canceling(job)) for job in jobs],
        "datasets": queries.datasets(),
    }


def _words(running: dict[str, Any]) -> dict[str, str]:
    left = running.get("secondsLeft")
    since = datetime.fromisoformat(str(running["since"]))
    return {
        "time_left": duration(left) if left is not None else "",
        "took": duration(max(timedelta(), datetime.now(since.tzinfo) - since).total_seconds()),
    }


def _outcome(job: ImportJobView) -> str:
    """What a job came to, in a line."""
    report = job.report
    if not report:
        return ""
    counts = ", ".join(
        f"{report[name]:,} {name}" for name in ("added", "changed", "retired", "restored", "rejected") if report[name]
    )
    return str(report["error"] or counts or report["outcome"])


def _canceling(job: ImportJobView) -> bool:
    return job.state == "running" and JobFolder(job.id).is_cancel_asked()
