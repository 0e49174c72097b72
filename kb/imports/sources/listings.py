"""The two documents of a layout that name its files: the manifest, and the list of the repositories."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from kb.imports.refusals import Refusal
from kb.records.documents import Manifest, ManifestFile, decode_manifest
from kb.records.rules import REPO_FIELD

__all__ = [
    "LISTING",
    "ListedRepository",
    "check_name",
    "decode_listed",
    "is_ignored",
    "manifest_of",
    "manifest_path",
    "manifest_paths",
]

LISTING = "repos.json"
_PREFIX = re.compile(r"\A/data/(?:r/[0-9]+/)?")
_IGNORED = "search/"  # made from the rest, for static hosting
_NAME = re.compile(rf"(?:{REPO_FIELD.pattern})\Z")
_NAME_LENGTH = REPO_FIELD.max_length or 0


@dataclass(frozen=True, slots=True)
class ListedRepository:
    """What the files of a layout are checked against: an entry of ``repos.json``, or a file that is simply there."""

    name: str
    commit: str = ""
    count: int | None = None

    @property
    def path(self) -> str:
        """The file of its records."""
        return f"repos/{self.name}.json"


def manifest_of(raw: bytes, origin: str) -> Manifest:
    """The manifest in these bytes. Raises ``Refusal`` for what is none."""
    manifest, problems = decode_manifest(raw, origin=origin)
    if manifest is None:
        raise Refusal.of(problems)
    return manifest


def manifest_path(entry: ManifestFile) -> str:
    """The path of a file of the manifest, relative to the layout's root; a served manifest names its revision first."""
    return _PREFIX.sub("", entry.path)


def is_ignored(path: str) -> bool:
    """Whether a file is no part of what is imported, so that it may be missing or damaged."""
    return path.startswith(_IGNORED)


def manifest_paths(manifest: Manifest) -> frozenset[str]:
    """The paths that the manifest gives hashes for."""
    return frozenset(manifest_path(entry) for entry in manifest.files.values())


def decode_listed(raw: bytes, origin: str) -> ListedRepository:
    """One entry of ``repos.json``; what is in it besides is for others to judge. Raises ``Refusal``."""
    try:
        found = msgspec.json.decode(raw)
        name = found["repo"]
    except (msgspec.MsgspecError, KeyError, TypeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal("not_json", origin, "a repository is a JSON object with the field repo") from error
    commit, count = found.get("analyzedSha"), found.get("errorCount")
    return ListedRepository(
        check_name(name, f"{origin}.repo"),
        commit if isinstance(commit, str) else "",
        count if type(count) is int else None,
    )


def check_name(name: object, origin: str) -> str:
    """The name of a repository, by the rule that records follow too; it becomes a path and a key."""
    if not isinstance(name, str) or len(name) > _NAME_LENGTH or not _NAME.match(name):
        raise Refusal("unsafe_path", origin, f"{name!r} is not the name of a repository")
    return name
