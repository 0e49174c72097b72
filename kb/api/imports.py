"""The views of imports over HTTP: they queue, tell, and cancel. What runs is the worker's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from kb.api import answers, bodies, import_answers, shapes, uploads
from kb.api.authorization import authorize
from kb.api.links import api_path, base_url
from kb.api.lists import item, page_of, stamp
from kb.api.operations import Endpoint
from kb.api.parameters import parse
from kb.api.problems import Problem
from kb.api.view import Call, EndpointView, Made, check_parts
from kb.catalog import queries
from kb.catalog.work_answers import ApiKeyView, ImportJobView
from kb.imports.jobs import queue as jobs
from kb.imports.jobs.folders import JobFolder

__all__ = ["ImportCancelView", "ImportListView", "ImportLogView", "ImportRejectionsView", "ImportView"]

_BUSY_SECONDS = "30"


class _Guarded(EndpointView):
    """An endpoint for holders of a key. Nobody keeps its answers."""

    def admit(self, request: HttpRequest) -> None:
        """Raises :class:`Problem` without a key that may import."""
        authorize(request, self.endpoint.scope)

    def known_tag(self, call: Call) -> None:  # noqa: ARG002  # no answer has a tag
        """No client holds a copy."""
        return

    def answer(self, call: Call) -> HttpResponseBase:
        """The answer, with a link to the next page where there is one."""
        made = self.make(call)
        response = HttpResponse(made.body, content_type=call.media_type)
        if made.next:
            response["Link"] = f'<{made.next}>; rel="next"'
        return self.stamped(response, call)

    def posted(self, request: HttpRequest, endpoint: Endpoint, parts: Mapping[str, str]) -> dict[str, Any]:
        """The checked query of a POST; see :meth:`EndpointView.get` for that of a GET. Raises :class:`Problem`."""
        check_parts(endpoint, parts)
        return parse(request.META.get("QUERY_STRING", ""), endpoint.parameters)

    def accepted(self, request: Request, job: ImportJobView) -> HttpResponse:
        """Status 202 with the job."""
        http = request._request  # noqa: SLF001  # see EndpointView.get
        media_type = request.accepted_media_type or self.endpoint.media_types[0]
        with queries.snapshot() as state:
            call = Call(request=http, base=base_url(http), media_type=media_type, values={}, parts={}, state=state)
            made = import_answers.ImportAnswer(job=_shape(job, call.base), **stamp(call))
            response = HttpResponse(msgspec.json.encode(made), status=202, content_type=media_type)
            response["Location"] = call.base + api_path("imports", str(job.id))
            self.stamped(response, call)
        return response


class ImportListView(_Guarded):
    """Imports, the newest first; by POST a new one."""

    http_method_names = ["get", "head", "post", "options"]

    def make(self, call: Call) -> Made:
        """One page."""
        found, following = page_of(queries.import_jobs, call)
        answer = import_answers.ImportList(
            results=[_shape(job, call.base) for job in found], next=following, **stamp(call)
        )
        return Made(body=msgspec.json.encode(answer), next=following)

    def post(self, request: Request) -> HttpResponseBase:
        """Queues an import, of a registered dataset or of the file that the request carries."""
        http = request._request  # noqa: SLF001  # its stream, which REST framework would read with a parser
        endpoint = self.posting or self.endpoint
        values = self.posted(http, endpoint, {})
        key = authorize(http, endpoint.scope)  # before a byte of the body is taken
        with _queueing():
            if http.content_type in {uploads.RAW, uploads.FORM}:
                job = _uploaded(http, values, key)
            else:
                job = _registered(http, endpoint, values, key)
        return self.accepted(request, job)


class ImportView(_Guarded):
    """One import."""

    def make(self, call: Call) -> Made:
        """State, progress, report."""
        answer = import_answers.ImportAnswer(job=_shape(_job(call.parts), call.base), **stamp(call))
        return Made(body=msgspec.json.encode(answer))


class ImportCancelView(_Guarded):
    """Cancels one import."""

    http_method_names = ["post", "options"]

    def post(self, request: Request, **parts: str) -> HttpResponseBase:
        """Cancels it, or asks the worker to."""
        http = request._request  # noqa: SLF001  # see EndpointView.get
        self.posted(http, self.endpoint, parts)
        authorize(http, self.endpoint.scope)
        with _queueing():
            jobs.cancel(_job(parts))
        return self.accepted(request, _job(parts))


class ImportLogView(_Guarded):
    """The log of one import."""

    def make(self, call: Call) -> Made:
        """Lines after the one that the client has."""
        found = JobFolder(_job(call.parts).id).entries(after=call.values["after"], limit=call.values["limit"])
        lines = [import_answers.LogLine(number=row.number, at=row.at, text=row.text) for row in found]
        return Made(body=msgspec.json.encode(import_answers.ImportLog(lines=lines, **stamp(call))))


class ImportRejectionsView(_Guarded):
    """What one import rejected."""

    def make(self, call: Call) -> Made:
        """One page; empty before there is a release."""
        found, following = page_of(queries.rejections, call, _job(call.parts).release or 0)
        answer = answers.RejectionList(results=list(map(shapes.rejection, found)), next=following, **stamp(call))
        return Made(body=msgspec.json.encode(answer), next=following)


# --- a new import -----------------------------------------------------------------------------------------------------


@contextmanager
def _queueing() -> Iterator[None]:
    """Answers 503 where nothing can be queued now."""
    try:
        yield
    except jobs.CannotQueue as reason:
        raise _busy(str(reason)) from reason
    except OSError as error:
        raise _busy(f"the spool cannot be written: {error.strerror}") from error


def _busy(reason: str) -> Problem:
    detail = f"Nothing can be queued at the moment: {reason}. Try again later."
    return Problem("imports_busy", detail, headers={"Retry-After": _BUSY_SECONDS})


def _registered(request: HttpRequest, endpoint: Endpoint, query: Mapping[str, Any], key: ApiKeyView) -> ImportJobView:
    sent = bodies.read(request, endpoint.body) if endpoint.body else {}
    if any(value is not None for value in query.values()):
        raise Problem("bad_request", "With a JSON body everything stands in the body, and nothing in the query.")
    options = {name: value for name, value in sent.items() if name != "dataset" and value is not None}
    jobs.check_room()
    job = jobs.queue_registered(sent["dataset"], options, key_id=key.id)
    if job is None:
        raise Problem("not_found", "No dataset of this name is registered with an address.")
    return job


def _uploaded(request: HttpRequest, query: Mapping[str, Any], key: ApiKeyView) -> ImportJobView:
    if query["dataset"] is None:
        raise Problem("invalid_parameter", "Name the dataset in the query: ?dataset=NAME.")
    if query["filename"] is None and request.content_type == uploads.RAW:
        raise Problem("invalid_parameter", "Name the file in the query: ?filename=records.jsonl.gz.")
    options = {
        name: value == "true" for name, value in query.items() if value is not None and name in jobs.OPTION_NAMES
    }
    jobs.check_room(uploads.sent_length(request))
    folder = jobs.new_folder()
    try:
        upload = uploads.receive(request, folder, query["filename"] or "")
    except BaseException:
        folder.remove()
        raise
    return jobs.queue_upload(folder, upload, dataset=query["dataset"], options=options, key_id=key.id)


# --- a job as an answer -----------------------------------------------------------------------------------------------


def _job(parts: Mapping[str, str]) -> ImportJobView:
    return item(queries.import_job(UUID(parts["id"])), "import")


def _shape(job: ImportJobView, base: str) -> import_answers.Import:
    folder = JobFolder(job.id)
    progress = folder.read("progress") if job.state == "running" else {}
    url = base + api_path("imports", str(job.id))
    return import_answers.Import(
        id=str(job.id),
        api_url=url,
        log_url=f"{url}log/",
        rejections_url=f"{url}rejections/" if job.release else None,
        dataset=job.dataset,
        source=job.source,
        options=dict(job.options),
        state=job.state,  # type: ignore[arg-type]  # the model's choices
        key=job.key,
        cancel_requested=folder.is_cancel_asked(),
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        progress=msgspec.convert(progress, import_answers.ImportProgress) if progress else None,
        release=job.release,
        report=dict(job.report) or None,
    )
