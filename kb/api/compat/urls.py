"""The addresses of the err-lookup API, below ``/api/``, and of the static dataset, below ``/data/``."""

from __future__ import annotations

from django.urls import URLPattern, re_path

from kb.api.compat import dataset, endpoints

__all__ = ["urlpatterns"]

urlpatterns: list[URLPattern] = [
    re_path(r"^api/search/?$", endpoints.search, name="compat-search"),
    re_path(r"^api/errors/(?P<record_id>.+?)/?$", endpoints.error, name="compat-error"),
    re_path(r"^api/repos/?$", endpoints.repositories, name="compat-repositories"),
    re_path(r"^data/r/(?P<revision>[0-9]+)/(?P<path>.*)$", dataset.revision_file, name="data-revision"),
    re_path(r"^data/(?P<path>.*)$", dataset.current_file, name="data"),
]
