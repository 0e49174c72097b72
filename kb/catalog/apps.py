"""The catalog as a Django application."""

from __future__ import annotations

from django.apps import AppConfig


class CatalogConfig(AppConfig):
    """The only application with models."""

    name = "kb.catalog"
    label = "catalog"
    verbose_name = "Catalog"
