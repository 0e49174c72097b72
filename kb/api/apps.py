"""The api room as a Django application."""

from __future__ import annotations

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """Registers the room with Django; it has no models."""

    name = "kb.api"
    label = "kb_api"
