"""Datasets, their releases, and what was written down of each."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from kb.catalog.fields import StoredJSON
from kb.catalog.models.lengths import CLUSTER_KEY_LENGTH, FAMILY_LENGTH, REPO_LENGTH

__all__ = ["Article", "Dataset", "Rejection", "Release"]


class Dataset(models.Model):
    """A publisher's set of records. The copy of the dataset with the highest priority is shown, then by name; a copy of
    a trusted dataset always before one of a dataset that is not.

    ``source`` is where the last release came from, as readers are told; ``address`` is what ``datasets update`` reads,
    empty for a dataset that is only ever imported by hand. ``remembered`` is what the last whole reading of its source
    left to recognize the same again. A removed dataset stays as the owner of its releases.
    """

    class Coverage(models.TextChoices):
        """Whether what a source lacks is gone."""

        BY_SHAPE = "", "as the shape of the source says"
        COMPLETE = "complete"
        PARTIAL = "partial"

    name = models.CharField(max_length=100, unique=True)
    priority = models.IntegerField(default=0)
    trusted = models.BooleanField(default=True)
    source = models.TextField(blank=True, default="")
    address = models.TextField(blank=True, default="")
    coverage = models.CharField(max_length=8, choices=Coverage.choices, blank=True, default=Coverage.BY_SHAPE)
    schedule = models.CharField(max_length=100, blank=True, default="")
    remembered = StoredJSON(default=dict)
    removed_at = models.DateTimeField(null=True)
    complete = models.BooleanField(default=False)
    version = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-priority", "name"]

    def __str__(self) -> str:
        return self.name


class Release(models.Model):
    """One import of one version of a dataset, or what took one back, removed the dataset or ranked it anew.

    ``before`` is what the dataset said besides its records until this release, compressed; together with the copies in
    :class:`CopyBefore` it is what a rollback publishes again. ``undone_by`` is the release that took this one back.
    """

    class Kind(models.TextChoices):
        """What was done."""

        IMPORT = "import"
        ROLLBACK = "rollback"
        REMOVAL = "removal"
        RANKING = "ranking"

    class State(models.TextChoices):
        """How far the import came."""

        RUNNING = "running"
        PUBLISHED = "published"
        UNCHANGED = "unchanged"
        HELD = "held"
        REFUSED = "refused"
        FAILED = "failed"
        CANCELED = "canceled"

    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.IMPORT)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="releases")
    dataset_version = models.CharField(max_length=64, blank=True, default="")
    source = models.TextField(blank=True, default="")
    state = models.CharField(max_length=12, choices=State.choices, default=State.RUNNING)
    revision = models.BigIntegerField(null=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    seconds = models.FloatField(null=True)
    added = models.BigIntegerField(default=0)
    changed = models.BigIntegerField(default=0)
    unchanged = models.BigIntegerField(default=0)
    retired = models.BigIntegerField(default=0)
    restored = models.BigIntegerField(default=0)
    rejected = models.BigIntegerField(default=0)
    warnings = models.BigIntegerField(default=0)
    notices = StoredJSON(default=list)
    unknown_fields = StoredJSON(default=list)
    problem_counts = StoredJSON(default=dict)
    error = models.TextField(blank=True, default="")
    before = models.BinaryField(null=True)
    undone_by = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.dataset_id} {self.dataset_version or self.pk}"


class Rejection(models.Model):
    """One problem of one rejected record, with the beginning of what was offered."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="rejections")
    origin = models.TextField()
    position = models.BigIntegerField(default=0)
    record_id = models.CharField(max_length=16, null=True)
    repo = models.CharField(max_length=REPO_LENGTH, null=True)
    path = models.TextField(blank=True, default="")
    rule = models.CharField(max_length=60)
    message = models.TextField()
    value = models.TextField(blank=True, default="")
    raw = models.BinaryField(default=bytes)

    def __str__(self) -> str:
        return f"{self.rule} at {self.origin}"


class Article(models.Model):
    """A background article. ``content`` is the whole document as the dataset has it."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="articles")
    slug = models.CharField(max_length=FAMILY_LENGTH)
    cluster_key = models.CharField(max_length=CLUSTER_KEY_LENGTH, db_index=True)
    content_hash = models.CharField(max_length=32)
    content = StoredJSON(default=dict)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["dataset", "slug"], name="article_once")]

    def __str__(self) -> str:
        return self.slug
