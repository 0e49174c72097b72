"""The rows of the endpoint table for quality: the work list of a dataset's maintainers."""

from __future__ import annotations

from typing import Final

from kb.api.answers import ErrorSummary
from kb.api.negotiation import NDJSON
from kb.api.operations import Endpoint, PathParameter
from kb.api.parameters import FULL_NAME, Parameter
from kb.api.quality_answers import FindingRecordList, FindingRepositoryList, Quality

__all__ = ["QUALITY"]

_PART: Final = PathParameter(
    name="finding", description="Code of a finding.", pattern="[a-z][a-z_]{0,59}", example="no_solutions"
)
_CURSOR: Final = Parameter(
    name="cursor",
    description="Where the list goes on; taken from `next`. It stays good when the catalog changes.",
    longest=2_400,
)
_LIMIT: Final = Parameter(
    name="limit", description="How many results a page has.", kind="integer", least=1, most=100, default=30
)
_REPO: Final = Parameter(
    name="repo", description="Only records of this repository, owner/name.", pattern=FULL_NAME, shape="owner/name"
)
_PROBLEMS: Final = ("bad_cursor", "not_found")

QUALITY = (
    Endpoint(
        operation="getQuality",
        path="quality/",
        tag="quality",
        summary="Get the findings by kind",
        description="What the maintainers of a dataset should look at: every kind of finding with its counts, and the "
        "counts at the last thirty revisions. A finding keeps no record from being served.",
        answer=Quality,
    ),
    Endpoint(
        operation="listFindingRepositories",
        path="quality/{finding}/",
        tag="quality",
        summary="List repositories with a finding",
        description="The repositories whose current records have a finding, the worst first.",
        answer=FindingRepositoryList,
        path_parameters=(_PART,),
        parameters=(_CURSOR, _LIMIT),
        problems=_PROBLEMS,
    ),
    Endpoint(
        operation="listFindingErrors",
        path="quality/{finding}/errors/",
        tag="quality",
        summary="List records with a finding",
        description="The current records that have a finding, by repository.",
        answer=FindingRecordList,
        path_parameters=(_PART,),
        parameters=(_REPO, _CURSOR, _LIMIT),
        problems=_PROBLEMS,
    ),
    Endpoint(
        operation="downloadFindingErrors",
        path="quality/{finding}/errors.ndjson",
        tag="quality",
        summary="Download records with a finding",
        description="All current records that have a finding, one JSON object a line. The lines are read in batches: "
        "a release that is published meanwhile shows in those that follow.",
        answer=ErrorSummary,
        path_parameters=(_PART,),
        parameters=(_REPO,),
        media_types=(NDJSON,),
        problems=("not_found",),
    ),
)
