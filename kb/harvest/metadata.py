"""What a distribution's metadata says of it: name, version, repository, the tag of this version, what it needs.

Metadata is written by strangers: every part may be missing, malformed or hostile, and then counts as not said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from email.message import Message
from email.parser import HeaderParser
from typing import Any, Final, NamedTuple

import msgspec

from kb.records.rules import REPO

__all__ = ["Home", "Need", "Stated", "canonical", "home_of", "of_core_metadata", "of_project_file"]

_HOSTS = r"(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|git\.sr\.ht)"
_ADDRESS = re.compile(rf"https?://(?:www\.)?({_HOSTS})/([\w.~+-]+)/([\w.~+-]+?)(?:\.git)?(?=[/?#]|$)", re.IGNORECASE)
_NO_OWNERS: Final = frozenset({"sponsors", "orgs", "apps", "topics", "marketplace", "users", "about", "groups"})
_REVISION = re.compile(r"/(?:tree|blob|releases/tag|archive(?:/refs/tags)?)/([\w.+-]+?)(?:\.tar\.gz|\.zip)?(?=[/?#]|$)")
_REPOSITORY = re.compile(REPO)
# Which of the addresses says where the source is, best first; what has none of these labels comes last.
_LABELS: Final = (
    ("source", "sourcecode", "repository", "repo", "code", "github", "gitlab"),
    ("homepage", "home", "projecthomepage"),
    ("issues", "issuetracker", "bugtracker", "tracker", "bug", "bugs", "bugreports"),
)
_NEED = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']""")
_MOST = 1_000
_SUMMARY = 500


class Home(NamedTuple):
    """Where the source is kept: ``owner/name``, the web address, and the tag that is named for the version."""

    repository: str
    address: str
    revision: str


class Need(NamedTuple):
    """A requirement: the canonical name, the extras asked of it, and the extra that it comes with, if any."""

    name: str
    extras: tuple[str, ...]
    extra: str


class Stated(NamedTuple):
    """What the metadata states. ``addresses`` are pairs of a label, folded to letters, and a web address."""

    name: str
    version: str
    summary: str
    addresses: tuple[tuple[str, str], ...]
    needs: tuple[Need, ...] = ()


def canonical(name: str) -> str:
    """A distribution's name as installers compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def of_core_metadata(text: str) -> Stated:
    """What the headers of ``METADATA`` or ``PKG-INFO`` state; its name is empty when they name none."""
    headers = HeaderParser().parsestr(text.replace("\r\n", "\n").partition("\n\n")[0])
    rows = [row.partition(",") for row in _all(headers, "Project-URL")]
    addresses = [(_label(label), address.strip()) for label, _, address in rows]
    addresses += [("homepage", value) for value in _all(headers, "Home-page")]
    addresses += [("download", value) for value in _all(headers, "Download-URL")]
    needs = [need for value in _all(headers, "Requires-Dist") if (need := _need(value))]
    return Stated(
        name=_word(_first(headers, "Name")),
        version=_word(_first(headers, "Version")),
        summary=_line(_first(headers, "Summary")),
        addresses=tuple(addresses),
        needs=tuple(needs),
    )


def of_project_file(text: str) -> Stated:
    """What ``pyproject.toml`` states in its table ``project``; empty for what cannot be read."""
    try:
        table = tomllib.loads(text).get("project", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        table = {}
    project: Mapping[str, Any] = table if isinstance(table, Mapping) else {}
    urls = project.get("urls")
    found = urls.items() if isinstance(urls, Mapping) else ()
    return Stated(
        name=_word(project.get("name")),
        version=_word(project.get("version")),
        summary=_line(project.get("description")),
        addresses=tuple((_label(label), address) for label, address in found if isinstance(address, str)),
    )


def home_of(stated: Stated, *, pinned: str = "") -> Home | None:
    """The repository that the metadata names, if any.

    ``pinned`` is the content of ``direct_url.json``: what was installed from a repository names that and its commit.
    """
    direct = _direct(pinned)
    if direct is not None:
        return direct
    ranked = sorted(enumerate(stated.addresses), key=lambda row: (_rank(row[1][0]), row[0]))
    for _, (_, address) in ranked:
        home = _home(address)
        if home is not None:
            return Home(*home, _revision(home[1], stated))
    return None


def _direct(text: str) -> Home | None:
    try:
        found = msgspec.json.decode(text.encode("utf-8", "replace"))
        commit, address = found["vcs_info"]["commit_id"], found["url"]
    except (msgspec.MsgspecError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(commit, str) or not isinstance(address, str) or not re.fullmatch("[0-9a-f]{7,64}", commit):
        return None
    home = _home(re.sub(r"^(?:git\+)?(?:ssh|git)://(?:[^@/]*@)?", "https://", address))
    return Home(*home, commit) if home is not None else None


def _home(address: str) -> tuple[str, str] | None:
    """Owner and name, and the address of it, when this is an address at a public code host."""
    found = _ADDRESS.match(address)
    if found is None:
        return None
    host, owner, name = found.groups()
    repository = f"{owner}/{name}"
    if owner.lower() in _NO_OWNERS or not _REPOSITORY.fullmatch(repository):
        return None
    return repository, f"https://{host.lower()}/{repository}"


def _revision(home: str, stated: Stated) -> str:
    """The tag that an address of this repository names, if it is the version's."""
    for _, address in stated.addresses:
        found = _REVISION.search(address)
        if found and stated.version and address.lower().startswith(home.lower()):
            tag = found[1]
            if re.fullmatch(rf"(?:.*[-_/v])?{re.escape(stated.version)}", tag):
                return tag
    return ""


def _rank(label: str) -> int:
    return next((rank for rank, labels in enumerate(_LABELS) if label in labels), len(_LABELS))


def _label(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())


def _need(value: str) -> Need | None:
    requirement, _, marker = value.partition(";")
    found = _NEED.match(requirement)
    if found is None:
        return None
    extras = tuple(canonical(extra.strip()) for extra in (found[2] or "").split(",") if extra.strip())
    extra = _EXTRA.search(marker)
    return Need(canonical(found[1]), extras, canonical(extra[1]) if extra else "")


def _all(headers: Message, name: str) -> Iterable[str]:
    return [str(value) for value in headers.get_all(name, [])[:_MOST]]


def _first(headers: Message, name: str) -> str:
    return str(headers.get(name) or "")


def _word(value: object) -> str:
    """A name or a version; empty for what is none."""
    return value.strip() if isinstance(value, str) and re.fullmatch(r"\s*[\w.+!-]{1,200}\s*", value) else ""


def _line(value: object) -> str:
    """One line of text for people, without what is not printable."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return "".join(char for char in text if char.isprintable())[:_SUMMARY]
