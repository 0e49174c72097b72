"""The one style sheet of the public pages, put together from its parts: one file blocks rendering, and one is kept.

Its parts stay files of their own, one a subject. The sheet is a file like any other for everything that asks for
static files, since :class:`StylesheetFinder` makes it when it is looked for: the development server after every
change of a part, ``collectstatic`` before it hashes and compresses.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

from kb.env import asset_root

__all__ = ["APART", "PARTS", "SHEET", "StylesheetFinder", "composed"]

SHEET: Final = "css/site.css"
# In this order: a later part may build on an earlier one, and no part on a later one.
PARTS: Final = (
    "tokens",
    "base",
    "frame",
    "parts",
    "code",
    "lists",
    "search",
    "charts",
    "tables",
    "paste",
    "home",
    "record",
    "history",
    "explain",
    "quality",
)
APART: Final = ("api", "staff")  # linked by their own pages alone
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


class StylesheetFinder(BaseFinder):
    """Offers ``css/site.css`` to Django's static files."""

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:  # noqa: FBT001, FBT002 - Django's signature
        """The file of the sheet, fresh, when ``path`` is its name."""
        if path != SHEET:
            return []
        made = str(_made() / SHEET)
        return [made] if find_all else made

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[tuple[str, Storage]]:
        """The name of the sheet and where its file is. Patterns are for what others bring along."""
        del ignore_patterns
        yield SHEET, FileSystemStorage(location=_made())


def composed() -> str:
    """The sheet: all parts in their order, without comments and indentation."""
    folder = asset_root() / "static" / "css"
    whole = "".join((folder / f"{part}.css").read_text(encoding="utf-8") for part in PARTS)
    lines = (line.strip() for line in _COMMENT.sub("", whole).splitlines())
    return "".join(f"{line}\n" for line in lines if line)


def _made() -> Path:
    """The folder that the sheet is in, below the data directory. A sheet that still holds keeps its time."""
    folder = (settings.KB_DATA_DIR / "composed").resolve()
    kept, wanted = folder / SHEET, composed().encode()
    if not kept.is_file() or kept.read_bytes() != wanted:
        kept.parent.mkdir(parents=True, exist_ok=True)
        new = kept.with_name(f".{secrets.token_hex(8)}")
        new.write_bytes(wanted)
        new.replace(kept)  # whole at every moment: several processes may come for it at once
    return folder
