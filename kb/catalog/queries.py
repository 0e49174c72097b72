"""Every read of the catalog that another room may make; each function says how many queries it costs.

The functions live in the files beside this one by subject; this is the door.
"""

from __future__ import annotations

from kb.catalog.answers import BadCursor, HomeView
from kb.catalog.change_queries import (
    ChangeFilter,
    changes,
    history,
    history_count,
    iter_changes,
    renamed_to,
    repositories_changed,
    successor_of,
)
from kb.catalog.dataset_queries import (
    dataset,
    dataset_names,
    dataset_repositories,
    datasets,
    registered_datasets,
    slugs_beside,
)
from kb.catalog.export_queries import (
    ExportArticle,
    ExportRecord,
    export_articles,
    export_records,
    export_repositories,
    export_version,
    hidden_keys,
    hidden_records,
    raw_records,
)
from kb.catalog.job_queries import import_job, import_jobs
from kb.catalog.keys import api_keys, key_of
from kb.catalog.list_queries import list_ids, list_records, list_rows, repositories, repository, top_repositories
from kb.catalog.match_queries import iter_match_facts, iter_match_rows, match_changes
from kb.catalog.quality_queries import (
    FindingCount,
    FindingKind,
    FindingMoment,
    finding_kinds,
    finding_records,
    finding_repositories,
    finding_trend,
    findings_of_repository,
    iter_finding_records,
    worst_repositories,
)
from kb.catalog.record_queries import (
    content_hash_of,
    holders,
    iter_records,
    last_changed,
    record_addresses,
    record_by_id,
    record_by_slug,
    record_rows,
    records_by_ids,
    records_of_code,
    related,
    repository_of_slug,
    sample_rows,
)
from kb.catalog.release_queries import iter_rejections, rejections, release, releases
from kb.catalog.replay import replay
from kb.catalog.revision_queries import largest_parts, record_course, revision, revisions, revisions_by_number
from kb.catalog.search_queries import iter_index_rows, iter_search_changes, iter_search_facts
from kb.catalog.snapshots import snapshot, state
from kb.catalog.term_queries import article_for, term, terms, top_terms

__all__ = [
    "BadCursor",
    "ChangeFilter",
    "ExportArticle",
    "ExportRecord",
    "FindingCount",
    "FindingKind",
    "FindingMoment",
    "api_keys",
    "article_for",
    "changes",
    "content_hash_of",
    "dataset",
    "dataset_names",
    "dataset_repositories",
    "datasets",
    "export_articles",
    "export_records",
    "export_repositories",
    "export_version",
    "finding_kinds",
    "finding_records",
    "finding_repositories",
    "finding_trend",
    "findings_of_repository",
    "hidden_keys",
    "hidden_records",
    "history",
    "history_count",
    "holders",
    "home",
    "import_job",
    "import_jobs",
    "iter_changes",
    "iter_finding_records",
    "iter_index_rows",
    "iter_match_facts",
    "iter_match_rows",
    "iter_records",
    "iter_rejections",
    "iter_search_changes",
    "iter_search_facts",
    "key_of",
    "largest_parts",
    "last_changed",
    "list_ids",
    "list_records",
    "list_rows",
    "match_changes",
    "raw_records",
    "record_addresses",
    "record_by_id",
    "record_by_slug",
    "record_course",
    "record_rows",
    "records_by_ids",
    "records_of_code",
    "registered_datasets",
    "rejections",
    "related",
    "release",
    "releases",
    "renamed_to",
    "replay",
    "repositories",
    "repositories_changed",
    "repository",
    "repository_of_slug",
    "revision",
    "revisions",
    "revisions_by_number",
    "sample_rows",
    "slugs_beside",
    "snapshot",
    "state",
    "successor_of",
    "term",
    "terms",
    "top_repositories",
    "top_terms",
    "worst_repositories",
]


def home(*, repositories_shown: int = 8, families_shown: int = 8) -> HomeView:
    """The largest parts of the catalog, as the front page shows them. Three queries, two inside a snapshot."""
    return HomeView(
        state=state(),
        repositories=top_repositories(repositories_shown),
        families=top_terms("family", families_shown),
    )
