"""Records as they are shown, and what lists and look-ups of them need."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from kb.catalog.fields import StoredJSON
from kb.catalog.models.datasets import Dataset
from kb.catalog.models.lengths import FAMILY_LENGTH, KEY_LENGTH, REPO_LENGTH, SLUG_LENGTH, SLUG_TAKEN, TAG_LENGTH

__all__ = ["FindingTally", "Record", "RecordFinding", "RecordTag", "Repository", "Term"]


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
        indexes: ClassVar = [
            models.Index(fields=["-record_count", "full_name"], name="repository_by_count"),
            models.Index(fields=["-stars", "full_name"], name="repository_by_stars"),
            models.Index(fields=["language", "full_name"], name="repository_by_language"),
            models.Index(fields=["-analyzed_at", "full_name"], name="repository_by_analysis"),
        ]

    def __str__(self) -> str:
        return self.full_name


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


class RecordFinding(models.Model):
    """A quality finding of a current record, for the work list of maintainers."""

    finding = models.CharField(max_length=60)
    repo = models.CharField(max_length=REPO_LENGTH)
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="+", db_constraint=False)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["finding", "repo", "record"], name="record_finding_in_order")]

    def __str__(self) -> str:
        return self.finding


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
            models.Index(fields=["kind", "-repository_count", "key"], name="term_by_repositories"),
            models.Index(fields=["kind", "folded", "key"], name="term_by_label"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.label}"


class FindingTally(models.Model):
    """How many current records of a repository have a finding, kept by each publication."""

    finding = models.CharField(max_length=60)
    repo = models.CharField(max_length=REPO_LENGTH)
    record_count = models.BigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["finding", "repo"], name="finding_tally_once")]
        indexes: ClassVar = [models.Index(fields=["finding", "-record_count", "repo"], name="finding_tally_by_count")]

    def __str__(self) -> str:
        return f"{self.finding} in {self.repo}"
