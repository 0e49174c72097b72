"""How long the short columns are, and the one mark that they hold."""

from __future__ import annotations

__all__ = [
    "CLUSTER_KEY_LENGTH",
    "FAMILY_LENGTH",
    "KEY_LENGTH",
    "REPO_LENGTH",
    "SLUG_LENGTH",
    "SLUG_TAKEN",
    "TAG_LENGTH",
]

REPO_LENGTH = SLUG_LENGTH = FAMILY_LENGTH = TAG_LENGTH = 255  # as kb.records.rules bounds them
CLUSTER_KEY_LENGTH = 255  # a clusterKey may be longer: the column holds its beginning
KEY_LENGTH = 80
SLUG_TAKEN = "slug_taken"  # a record that is held but has no slug of its own, tried again by each publication
