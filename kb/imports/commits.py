"""What became of a transaction whose commit got no answer."""

from __future__ import annotations

import time
from contextlib import suppress

from django.db import connection
from django.db.utils import Error

from kb.catalog import queries

__all__ = ["came_through", "renew_connection"]

_TRIES, _PAUSE = 10, 1.0  # a server that was killed needs some seconds to come back


def came_through(release_id: int) -> bool | None:
    """Whether a release was committed; ``None`` when the database does not answer within some seconds."""
    for attempt in range(1 if connection.in_atomic_block else _TRIES):
        if attempt:
            time.sleep(_PAUSE)
        renew_connection()
        with suppress(Error):
            release = queries.release(release_id)
            return release is not None and release.state in {"published", "unchanged"}
    return None


def renew_connection() -> None:
    """Lets go of a connection that is broken, so that the next statement opens another one."""
    if not connection.in_atomic_block and connection.connection is not None and not connection.is_usable():
        with suppress(Error):
            connection.close()
