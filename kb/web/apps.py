"""The web room as a Django application."""

from __future__ import annotations

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Registers the room with Django; it has no models."""

    name = "kb.web"
    label = "kb_web"
