"""Django's admin: releases, rejections and records to look at, never to edit. Imports are the only way in."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.http import HttpRequest

from kb.catalog.models import ApiKey, CatalogState, Dataset, ImportJob, Record, Rejection, Release, Repository

__all__: list[str] = []


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A list and a page for each row, without any way to change one."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - as above
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:  # noqa: ARG002 - as above
        """Never."""
        return False


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    """What each import did."""

    list_display = (
        "id", "dataset", "dataset_version", "state", "revision", "started_at", "seconds",
        "added", "changed", "unchanged", "retired", "restored", "rejected",
    )  # fmt: skip
    list_filter = ("state", "dataset")
    list_select_related = ("dataset",)
    ordering = ("-id",)


@admin.register(Rejection)
class RejectionAdmin(ReadOnlyAdmin):
    """What was refused, and by which rule."""

    list_display = ("id", "release", "rule", "path", "record_id", "repo", "message", "value")
    list_filter = ("rule",)
    list_select_related = ("release",)
    search_fields = ("=record_id", "=repo")
    exclude = ("raw",)
    readonly_fields = ("raw_text",)
    ordering = ("-id",)

    @admin.display(description="Beginning of the offending record")
    def raw_text(self, row: Rejection) -> str:
        """The bytes as text; what is not UTF-8 is replaced."""
        return bytes(row.raw).decode("utf-8", "replace")


@admin.register(Record)
class RecordAdmin(ReadOnlyAdmin):
    """Records, found by id or by repository."""

    list_display = (
        "id",
        "repository_id",
        "slug",
        "error_class",
        "severity",
        "dataset",
        "changed_revision",
        "retired_revision",
    )
    list_filter = ("severity", "dataset")
    list_select_related = ("dataset",)
    search_fields = ("=id", "=repository__full_name")
    ordering = ("id",)


@admin.register(Repository)
class RepositoryAdmin(ReadOnlyAdmin):
    """Repositories and what their dataset says of them."""

    list_display = ("full_name", "language", "record_count", "stars", "retired")
    search_fields = ("=full_name",)
    ordering: ClassVar = ["full_name"]


@admin.register(Dataset)
class DatasetAdmin(ReadOnlyAdmin):
    """Datasets and their rank."""

    list_display = ("name", "priority", "trusted", "version", "complete", "source", "address", "schedule")
    exclude = ("remembered",)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """Keys, without what is kept to recognize them."""

    list_display = ("prefix", "name", "scopes", "created_at", "expires_at", "revoked_at", "last_used_at")
    exclude = ("digest",)
    ordering = ("-id",)


@admin.register(ImportJob)
class ImportJobAdmin(ReadOnlyAdmin):
    """Imports that were asked for over HTTP."""

    list_display = ("id", "dataset", "source", "state", "key", "release", "created_at", "finished_at")
    list_filter = ("state",)
    list_select_related = ("key", "release", "release__dataset")
    ordering = ("-created_at", "id")


@admin.register(CatalogState)
class CatalogStateAdmin(ReadOnlyAdmin):
    """The current revision."""

    list_display = ("revision", "version", "records", "repositories", "families", "datasets")


admin.site.site_header = admin.site.site_title = "Faultbook"
admin.site.index_title = "Imports and what they brought"
