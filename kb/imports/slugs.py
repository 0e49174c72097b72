"""Which claims to a slug are refused. Pure.

A record may take a slug from another one only when that one leaves it in the same publication, because it moves to
another slug itself or because it is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["refused_claims"]


def refused_claims(
    claims: Mapping[str, tuple[str, str]],
    owners: Mapping[tuple[str, str], str],
    *,
    moving: Mapping[str, str],
    gone: Collection[str],
) -> dict[str, str]:
    """Refused ids, each with the id of the owner that stays.

    ``claims`` maps an id to the (repository, slug) it wants, ``owners`` a (repository, slug) to its present owner,
    ``moving`` the id of an owner to the slug it will have, ``gone`` are ids that leave. A refused record keeps its own
    slug, so that refusals can follow from refusals.
    """
    refused: dict[str, str] = {}
    settled = False
    while not settled:
        settled = True
        for record_id, (repo, slug) in claims.items():
            owner = owners.get((repo, slug))
            if record_id in refused or owner is None or owner == record_id or owner in gone:
                continue
            leaves = owner in moving and moving[owner] != slug and owner not in refused
            if not leaves:
                refused[record_id] = owner
                settled = False
    return refused
