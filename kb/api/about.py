"""The views that say what is here: the root, the OpenAPI document, and the answer to addresses that nothing has."""

from __future__ import annotations

import msgspec
from rest_framework.request import Request

from kb.api import answers, schema
from kb.api.endpoints import ENDPOINTS
from kb.api.links import API_ROOT, DOCUMENTATION
from kb.api.lists import stamp
from kb.api.problems import Problem
from kb.api.view import Call, EndpointView, Made

__all__ = ["NothingHere", "RootView", "SchemaView"]


class RootView(EndpointView):
    """Counts and addresses."""

    def make(self, call: Call) -> Made:
        """What the catalog holds and what can be asked."""
        names = {
            row.operation: f"{call.base}{API_ROOT}{row.path}" + _template(tuple(field.name for field in row.parameters))
            for row in ENDPOINTS.values()
        }
        answer = answers.RootAnswer(
            records=call.state.records,
            repositories=call.state.repositories,
            families=call.state.families,
            endpoints=names,
            documentation=call.base + DOCUMENTATION,
            openapi=f"{call.base}{API_ROOT}schema/",
            **stamp(call),
        )
        return Made(body=msgspec.json.encode(answer), tag=call.revision_tag())


def _template(names: tuple[str, ...]) -> str:
    """The query part of a URI template (RFC 6570)."""
    return "{?" + ",".join(names) + "}" if names else ""


class SchemaView(EndpointView):
    """The OpenAPI document."""

    def known_tag(self, call: Call) -> str | None:  # noqa: ARG002  # the document is the same in every revision
        """Nothing of the catalog is in it."""
        return None

    def make(self, call: Call) -> Made:  # noqa: ARG002  # the document is the same for every call
        """The document, made once a process."""
        return Made(body=schema.document_bytes())


class NothingHere(EndpointView):
    """Any other address below the API's root; REST framework answers, so that the problem has all its headers."""

    endpoint = ENDPOINTS["getRoot"]
    schema = None  # type: ignore[assignment]  # not in the document

    def get(self, request: Request, **parts: str) -> None:  # type: ignore[override]  # noqa: ARG002  # it never returns
        """Say where the list of endpoints is."""
        raise Problem("not_found", f"No endpoint is at this address; {API_ROOT} lists them.")
