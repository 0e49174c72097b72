"""The store. Every table of the catalog; nothing outside ``kb.catalog`` touches a model.

Columns hold the dataset's fields as they came; keys that look-ups need (folded or hashed) stand beside them, made in
Python so that both databases agree. B-tree indexes are on short columns only: a message can be longer than a page of
PostgreSQL's index.

Files in dependency order:

- ``lengths``: how long the short columns are
- ``datasets``: datasets, releases, rejections, articles
- ``records``: repositories, records, and what lists of them need
- ``history``: copies by dataset, the feed of changes, and what a rollback needs
- ``jobs``: keys of clients and the imports that they asked for
"""

from __future__ import annotations

from kb.catalog.models.datasets import Article, Dataset, Rejection, Release
from kb.catalog.models.history import CatalogState, Change, CopyBefore, FindingTrend, Holding, SlugHistory
from kb.catalog.models.jobs import ApiKey, ImportJob
from kb.catalog.models.lengths import CLUSTER_KEY_LENGTH, FAMILY_LENGTH, SLUG_TAKEN
from kb.catalog.models.records import FindingTally, Record, RecordFinding, RecordTag, Repository, Term

__all__ = [
    "CLUSTER_KEY_LENGTH",
    "FAMILY_LENGTH",
    "SLUG_TAKEN",
    "ApiKey",
    "Article",
    "CatalogState",
    "Change",
    "CopyBefore",
    "Dataset",
    "FindingTally",
    "FindingTrend",
    "Holding",
    "ImportJob",
    "Record",
    "RecordFinding",
    "RecordTag",
    "Rejection",
    "Release",
    "Repository",
    "SlugHistory",
    "Term",
]
