"""Copies by dataset, the feed of changes, and what a rollback needs."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from kb.catalog.models.datasets import Dataset, Release
from kb.catalog.models.lengths import REPO_LENGTH, SLUG_LENGTH

__all__ = ["CatalogState", "Change", "CopyBefore", "FindingTrend", "Holding", "SlugHistory"]


class Holding(models.Model):
    """One dataset's copy of a record. ``content`` is its compressed JSON, only while another copy is shown."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="holdings")
    record_id = models.CharField(max_length=16)
    repo = models.CharField(max_length=REPO_LENGTH)
    content_hash = models.CharField(max_length=32)
    content = models.BinaryField(null=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["dataset", "record_id"], name="holding_once")]
        indexes: ClassVar = [models.Index(fields=["record_id"], name="holding_by_record")]

    def __str__(self) -> str:
        return f"{self.dataset_id}:{self.record_id}"


class Change(models.Model):
    """The feed: what one revision did to one record, with the record's JSON after it, compressed."""

    revision = models.BigIntegerField()
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="+")
    record_id = models.CharField(max_length=16)
    repo = models.CharField(max_length=REPO_LENGTH)
    kind = models.CharField(max_length=12)  # added, changed, reanalysed, retired, restored
    content = models.BinaryField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["revision", "record_id"], name="change_by_revision"),
            models.Index(fields=["record_id", "revision"], name="change_by_record"),
        ]

    def __str__(self) -> str:
        return f"{self.revision} {self.kind} {self.record_id}"


class CopyBefore(models.Model):
    """A dataset's copy of a record as it was until a release: what a rollback brings back.

    Without a content hash the dataset had no copy. ``content`` is its compressed JSON.
    """

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    record_id = models.CharField(max_length=16)
    content_hash = models.CharField(max_length=32, blank=True, default="")
    content = models.BinaryField(null=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["release", "record_id"], name="copy_before_by_release")]

    def __str__(self) -> str:
        return f"{self.release_id}:{self.record_id}"


class SlugHistory(models.Model):
    """A slug that a record left in some revision."""

    repo = models.CharField(max_length=REPO_LENGTH)
    slug = models.CharField(max_length=SLUG_LENGTH)
    record_id = models.CharField(max_length=16)
    until_revision = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "slug history"
        indexes: ClassVar = [models.Index(fields=["repo", "slug"], name="slug_history_by_slug")]

    def __str__(self) -> str:
        return f"{self.repo}/{self.slug}"


class FindingTrend(models.Model):
    """How many current records had a finding at a revision, and how many records there were."""

    revision = models.BigIntegerField()
    finding = models.CharField(max_length=60)
    record_count = models.BigIntegerField()
    record_total = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["revision", "finding"], name="finding_trend_once")]

    def __str__(self) -> str:
        return f"{self.finding} at {self.revision}"


class CatalogState(models.Model):
    """One row: the current revision. ``version`` is the time of its commit (decisions 7)."""

    revision = models.BigIntegerField(default=0)
    version = models.CharField(max_length=40, blank=True, default="")
    records = models.BigIntegerField(default=0)
    repositories = models.BigIntegerField(default=0)
    families = models.BigIntegerField(default=0)
    datasets = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"revision {self.revision}"
