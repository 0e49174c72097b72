"""The row of the endpoint table for exports."""

from __future__ import annotations

from kb.api.negotiation import NDJSON
from kb.api.operations import Endpoint
from kb.api.parameters import Parameter

__all__ = ["exporting"]


def exporting(parameters: tuple[Parameter, ...]) -> Endpoint:
    """The row; ``parameters`` are the filters of records and the cursor."""
    return Endpoint(
        operation="exportErrors",
        path="export/",
        tag="errors",
        summary="Export records",
        description="All records that pass the filters, field for field as their dataset has them, one JSON object a "
        "line, by repository and slug. They are all of the revision that the header Faultbook-Revision names. When the "
        "catalog moves on before the end, the last line is an object with the one member `error`: its `restart` is the "
        "address of the same export in the new revision, its `resume` that of what is missing here, as it is then. A "
        "server process makes few exports at a time and refuses more with `export_busy`.",
        answer=None,
        parameters=parameters,
        media_types=(NDJSON,),
        problems=("bad_cursor", "query_too_long", "forbidden", "export_busy"),
        query_example={"repo": "axios/axios"},
        tagged=False,
    )
