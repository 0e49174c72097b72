"""The store. Every table of the catalog; nothing outside this package touches a model.

Columns hold the dataset's fields as they came; keys that look-ups need (folded or hashed) stand beside them, made in
Python so that both databases agree. B-tree indexes are on short columns only: a message can be longer than a page of
PostgreSQL's index.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from kb.catalog.fields import StoredJSON

__all__ = [
    "Article",
    "CatalogState",
    "Change",
    "Dataset",
    "Holding",
    "Record",
    "RecordTag",
    "Rejection",
    "Release",
    "Repository",
    "SlugHistory",
    "Term",
]

REPO_LENGTH = SLUG_LENGTH = FAMILY_LENGTH = TAG_LENGTH = 255  # as kb.records.rules bounds them
CLUSTER_KEY_LENGTH = 255  # a clusterKey may be longer: the column holds its beginning
KEY_LENGTH = 80
SLUG_TAKEN = "slug_taken"  # a record that is held but has no slug of its own, tried again by each publication


class Dataset(models.Model):
    """A publisher's set of records. The copy of the dataset with the highest priority is shown, then by name."""

    name = models.CharField(max_length=100, unique=True)
    priority = models.IntegerField(default=0)
    source = models.TextField(blank=True, default="")
    complete = models.BooleanField(default=False)
    version = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-priority", "name"]

    def __str__(self) -> str:
        return self.name


class Repository(models.Model):
    """The ``owner/name`` that records are raised in."""

    full_name = models.CharField(max_length=REPO_LENGTH, unique=True)
    folded_name = models.CharField(max_length=400, db_index=True)
    description = models.TextField(null=True)
    language = models.TextField(null=True)
    stars = models.BigIntegerField(null=True)
    source_files = models.BigIntegerField(null=True)
    default_branch = models.TextField(null=True)
    analyzed_sha = models.TextField(blank=True, default="")
    analyzed_at = models.TextField(blank=True, default="")
    extra = StoredJSON(default=dict)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, null=True, related_name="+")
    record_count = models.BigIntegerField(default=0)
    retired = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "repositories"
        indexes: ClassVar = [models.Index(fields=["-record_count", "full_name"], name="repository_by_count")]

    def __str__(self) -> str:
        return self.full_name


class Release(models.Model):
    """One import of one version of a dataset."""

    class State(models.TextChoices):
        """How far the import came."""

        RUNNING = "running"
        PUBLISHED = "published"
        UNCHANGED = "unchanged"
        REFUSED = "refused"
        FAILED = "failed"

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


class Record(models.Model):
    """The copy of a record that is shown. Long text stands last: most queries do not read it."""

    id = models.CharField(max_length=16, primary_key=True)
    repository = models.ForeignKey(
        Repository,
        on_delete=models.PROTECT,
        to_field="full_name",
        db_column="repo",
        related_name="records",
        db_index=False,
    )
    slug = models.CharField(max_length=SLUG_LENGTH)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="+", db_index=False)
    content_hash = models.CharField(max_length=32)
    substance_hash = models.CharField(max_length=32)
    duplicate_key = models.CharField(max_length=32)
    canonical_id = models.CharField(max_length=16, null=True)
    place_key = models.CharField(max_length=32)
    code_key = models.CharField(max_length=KEY_LENGTH, null=True)
    code_fold = models.CharField(max_length=64, null=True)
    class_key = models.CharField(max_length=KEY_LENGTH, null=True)
    family = models.CharField(max_length=FAMILY_LENGTH, null=True)
    language = models.CharField(max_length=60, null=True)
    error_type = models.CharField(max_length=20)
    severity = models.CharField(max_length=10)
    handling_strategy = models.CharField(max_length=20, null=True)
    http_status = models.IntegerField(null=True)
    line_number = models.BigIntegerField(null=True)
    source_code_start = models.BigIntegerField(null=True)
    source_code_end = models.BigIntegerField(null=True)
    schema_version = models.IntegerField()
    first_revision = models.BigIntegerField()
    changed_revision = models.BigIntegerField()
    retired_revision = models.BigIntegerField(null=True)
    retired_reason = models.CharField(max_length=40, blank=True, default="")
    successor = models.CharField(max_length=16, null=True)
    analyzed_sha = models.CharField(max_length=40)
    analyzed_at = models.CharField(max_length=64)
    analyzed_ms = models.BigIntegerField(null=True)
    content_changed_at = models.CharField(max_length=64, null=True)
    excerpt = models.TextField()
    tags = StoredJSON(default=list)
    findings = StoredJSON(default=list)
    absent = StoredJSON(default=list)
    error_code = models.TextField(null=True)
    error_class = models.TextField(null=True)
    file_path = models.TextField()
    error_message = models.TextField()
    message_pattern = models.TextField()
    github_url = models.TextField()
    documentation = models.TextField()
    trigger_scenarios = models.TextField()
    common_situations = models.TextField()
    solutions = StoredJSON(default=list)
    prevention_tips = StoredJSON(default=list)
    source_code = models.TextField(null=True)
    example_fix = models.TextField(null=True)
    validation_code = models.TextField(null=True)
    type_guard = models.TextField(null=True)
    try_catch_pattern = models.TextField(null=True)
    extra = StoredJSON(default=dict)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["repository", "slug"],
                condition=Q(retired_revision__isnull=True),
                name="record_slug_of_the_living",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["repository", "slug", "id"], name="record_by_repository"),
            models.Index(fields=["family", "repository", "slug"], name="record_by_family"),
            models.Index(fields=["code_key", "repository", "slug"], name="record_by_code"),
            models.Index(fields=["class_key", "repository", "slug"], name="record_by_class"),
            models.Index(fields=["language", "repository", "slug"], name="record_by_language"),
            models.Index(fields=["error_type", "repository", "slug"], name="record_by_type"),
            models.Index(fields=["code_fold"], name="record_by_folded_code"),
            models.Index(fields=["place_key"], name="record_by_place"),
            models.Index(fields=["duplicate_key"], name="record_by_duplicate"),
            models.Index(fields=["id"], condition=Q(retired_reason=SLUG_TAKEN), name="record_without_slug"),
        ]

    def __str__(self) -> str:
        return f"{self.repository_id}/{self.slug}"


class RecordTag(models.Model):
    """A tag of a record, with the keys that lists by tag are ordered by."""

    tag = models.CharField(max_length=TAG_LENGTH)
    repo = models.CharField(max_length=REPO_LENGTH)
    slug = models.CharField(max_length=SLUG_LENGTH)
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="tag_rows", db_constraint=False)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["tag", "repo", "slug", "record"], name="record_tag_in_order")]

    def __str__(self) -> str:
        return self.tag


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


class Term(models.Model):
    """A family, code, class or tag, with its counts over current records, kept by each publication."""

    kind = models.CharField(max_length=8)
    key = models.CharField(max_length=FAMILY_LENGTH)
    label = models.TextField()
    folded = models.CharField(max_length=FAMILY_LENGTH)
    record_count = models.BigIntegerField()
    repository_count = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["kind", "key"], name="term_once")]
        indexes: ClassVar = [
            models.Index(fields=["kind", "-record_count", "key"], name="term_by_count"),
            models.Index(fields=["kind", "folded", "key"], name="term_by_label"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.label}"


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
