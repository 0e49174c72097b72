"""The site's settings with the plain views of :mod:`benchmarks.plain_urls` beside its pages: for measurements only."""

from __future__ import annotations

from kb.settings import *  # noqa: F403  all of them but one

ROOT_URLCONF = "benchmarks.plain_urls"
