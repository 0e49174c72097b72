"""What an answer depends on beside the catalog: the program and its settings."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings

import kb
from kb.env import asset_root
from kb.present.language import language_version

__all__ = ["build_id"]


@cache
def build_id() -> str:
    """Eight digits that change with the code, the templates, the static files and the settings that pages show.

    It is a part of every entity tag: after an upgrade no reader keeps a page of the old program. Sizes and names of
    files stand for what is static; code and templates count with their content.
    """
    total = hashlib.sha256(f"{settings.KB_BASE_URL} {settings.KB_REPORT_URL} {language_version()}".encode())
    package = Path(kb.__file__).parent
    for path in sorted([*package.glob("**/*.py"), *asset_root().glob("templates/**/*.*")]):
        total.update(path.read_bytes())
    for path in sorted(asset_root().glob("static/**/*.*")):
        total.update(f"{path.name} {path.stat().st_size}".encode())
    return total.hexdigest()[:8]
