"""The cli room as a Django application."""

from __future__ import annotations

from django.apps import AppConfig


class CliConfig(AppConfig):
    """Registers the room with Django; it has no models."""

    name = "kb.cli"
    label = "kb_cli"
