"""Requests made from the OpenAPI document: no answer outside of it, none of 500 or more.

Few examples an endpoint normally, many in ``make soak``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from kb.api import schema

Get = Callable[..., Any]

# What a schema cannot say: which cursors a list gave out, which revisions there are, how long a text is once encoded.
BEYOND_SCHEMAS = {"bad_cursor", "query_too_long", "resync_required", "text_too_large", "body_too_large"}
ABOUT_SCHEMAS = [positive_data_acceptance, negative_data_rejection]
SOAK = os.environ.get("KB_SOAK") == "1"
EXAMPLES = 500 if SOAK else 12
# What lies at the borders of each parameter is asked of every database; a sample draws at random on SQLite alone.
PHASES = tuple(Phase) if SOAK or not os.environ.get("KB_DATABASE_URL") else (Phase.explicit,)


def _application(environ: dict[str, Any], start_response: Any) -> Any:
    """The site; made when it is first called, after the settings are those of the tests."""
    from kb.wsgi import application

    return application(environ, start_response)


api = schemathesis.openapi.from_dict(schema.document())
api.app = _application


@pytest.fixture
def site(get: Get, settings: Any) -> Iterator[None]:
    """The site of the other tests, with one connection for all requests, as Django's own client has."""
    settings.ALLOWED_HOSTS = ["localhost"]
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@api.parametrize()
@hypothesis.settings(
    max_examples=EXAMPLES,
    phases=PHASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_the_document_is_true(case: Any, site: None) -> None:
    response = case.call()
    refused = response.status_code in {400, 410, 413, 414} and response.json()["code"] in BEYOND_SCHEMAS
    case.validate_response(response, excluded_checks=ABOUT_SCHEMAS if refused else [])
