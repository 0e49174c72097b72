"""Which claims to a slug are refused. Pure.

A record may take a slug from another one only when that one leaves it in the same publication, because it moves to
another slug itself or because it is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["Claim", "refused_claims"]

Claim = tuple[str, str]  # repository and slug


def refused_claims(
    claims: Mapping[str, Claim],
    owners: Mapping[Claim, str],
    *,
    moving: Mapping[str, Claim],
    gone: Collection[str],
) -> dict[str, str]:
    """Refused ids, each with the id of the owner that stays.

    ``claims`` maps an id to what it wants, ``owners`` what is owned to its present owner, ``moving`` the id of an owner
    to what it will have, ``gone`` are ids that leave. A refused record keeps its own slug, so that refusals can follow
    from refusals: they are followed backwards from each owner that stays, each claim once.
    """
    wanted_from: dict[str, list[str]] = {}
    waiting: list[str] = []
    for record_id, claim in claims.items():
        owner = owners.get(claim)
        if owner is None or owner == record_id or owner in gone:
            continue
        wanted_from.setdefault(owner, []).append(record_id)
        if moving.get(owner, claim) == claim:
            waiting.append(owner)
    refused: dict[str, str] = {}
    while waiting:
        owner = waiting.pop()
        for record_id in wanted_from.pop(owner, ()):
            refused[record_id] = owner
            waiting.append(record_id)
    return refused
