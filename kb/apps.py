"""The frame as a Django application: it brings the start-up checks."""

from __future__ import annotations

from django.apps import AppConfig


class FrameConfig(AppConfig):
    """Registers :mod:`kb.checks`; has no models."""

    name = "kb"
    label = "frame"
    verbose_name = "Faultbook"

    def ready(self) -> None:
        """Import the checks, which registers them."""
        from kb import checks  # noqa: F401, PLC0415  # importing them registers them, once applications are loaded
