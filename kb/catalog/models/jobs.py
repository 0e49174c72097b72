"""Keys of clients that may write, and the imports that they asked for."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from kb.catalog.fields import StoredJSON
from kb.catalog.models.datasets import Release

__all__ = ["ApiKey", "ImportJob"]


class ApiKey(models.Model):
    """A key for what no anonymous client may do. Only a digest of it is kept; ``prefix`` is its public beginning."""

    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16, unique=True)
    digest = models.CharField(max_length=64)
    scopes = StoredJSON(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"


class ImportJob(models.Model):
    """An import that was asked for over HTTP. While it runs, its progress and log are files (decisions 11)."""

    class State(models.TextChoices):
        """How far it came; the release of a job that ran says what came of it."""

        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELED = "canceled"

    id = models.UUIDField(primary_key=True)
    dataset = models.CharField(max_length=100)
    source = models.TextField(blank=True, default="")
    options = StoredJSON(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    key = models.ForeignKey(ApiKey, on_delete=models.SET_NULL, null=True, related_name="+")
    task = models.CharField(max_length=64, blank=True, default="")
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    report = StoredJSON(default=dict)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["-created_at", "id"], name="import_job_by_time")]

    def __str__(self) -> str:
        return f"{self.dataset} {self.state}"
