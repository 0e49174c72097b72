"""What a page weighs on its way: the record page stays small whatever its frame holds."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

from tests.web.page_checks import SEED

MOST_BYTES, MOST_COMPRESSED = 50_000, 25_000


def test_the_page_of_the_seed_record_is_light(get: Callable[..., Any]) -> None:
    body = get(f"{SEED}/").text_body.encode()
    assert len(body) < MOST_BYTES
    assert len(gzip.compress(body, 6)) < MOST_COMPRESSED
