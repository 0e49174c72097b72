"""What a row of the endpoint table says about one operation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from kb.api.bodies import Body
from kb.api.negotiation import JSON
from kb.api.parameters import Parameter

__all__ = ["Endpoint", "PathParameter"]


@dataclass(frozen=True, kw_only=True)
class PathParameter:
    """A part of an endpoint's path. What does not fit ``pattern`` is not found."""

    name: str
    description: str
    pattern: str
    example: str
    integer: bool = False

    def openapi(self) -> dict[str, Any]:
        """The Parameter Object of the OpenAPI document."""
        schema: dict[str, Any] = (
            {"type": "integer", "minimum": 1} if self.integer else {"type": "string", "pattern": f"^{self.pattern}$"}
        )
        return {
            "name": self.name,
            "in": "path",
            "required": True,
            "description": self.description,
            "schema": schema,
            "example": int(self.example) if self.integer else self.example,
        }


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One operation: a path and a method.

    ``path`` is relative to the API's root; ``problems`` are codes beyond those that every endpoint has; ``media_types``
    begin with the default; ``body`` is what a POST takes; ``tagged`` is false for answers that nobody may keep;
    ``query_example`` and ``body_example`` are what the example request sends; ``status`` is that of success; ``scope``
    what a key must be good for, empty where none is needed; ``uploads`` says that a POST may carry a file instead.
    """

    operation: str
    path: str
    tag: str
    summary: str
    description: str
    answer: type[msgspec.Struct] | None
    parameters: tuple[Parameter, ...] = ()
    path_parameters: tuple[PathParameter, ...] = ()
    media_types: tuple[str, ...] = (JSON,)
    problems: tuple[str, ...] = ()
    query_example: Mapping[str, str] = field(default_factory=dict)
    method: Literal["get", "post"] = "get"
    body: Body | None = None
    body_example: Mapping[str, Any] = field(default_factory=dict)
    tagged: bool = True
    status: int = 200
    scope: str = ""
    uploads: bool = False

    @property
    def regex(self) -> str:
        """The URL pattern, with and without the slash at its end."""
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path.removesuffix("/").replace(".", r"\."))
        return rf"^{pattern}/?\Z" if pattern else r"^\Z"

    @property
    def example_path(self) -> str:
        """The path with the examples of its parameters."""
        path = self.path
        for row in self.path_parameters:
            path = path.replace(f"{{{row.name}}}", row.example)
        return path
