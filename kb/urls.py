"""Which room answers what. The pages come last: they end in the publisher's addresses, which begin with any name."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from kb.api import throttle
from kb.api.reference import reference
from kb.mcp.view import endpoint
from kb.web.views import staff

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/imports/", admin.site.admin_view(staff.imports_page), name="staff-imports"),
    path("admin/imports/part/", admin.site.admin_view(staff.imports_part), name="staff-imports-part"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("kb.api.urls")),
    path("", include("kb.api.compat.urls")),
    path("docs/api/", reference, name="api-reference"),
    re_path(r"^mcp/?$", endpoint(throttle.take), name="mcp"),  # a redirect would lose what was posted
    path("", include("kb.web.urls")),
]

handler400 = "kb.web.failures.bad_request"
handler403 = "kb.web.failures.forbidden"
handler404 = "kb.web.failures.not_found"
handler500 = "kb.web.failures.server_error"
