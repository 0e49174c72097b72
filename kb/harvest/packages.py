"""One distribution with everything read from it: what records are made of."""

from __future__ import annotations

import msgspec

from kb.harvest.facts import ModuleFacts

__all__ = ["Origin", "PackageFacts"]


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What a distribution's own metadata says of it, and which files of it were read.

    ``distribution`` is the name as its metadata writes it, ``version`` empty when it has none. ``repository`` is
    ``owner/name``: a public code host's when the metadata names one, else ``pypi/NAME`` for an installed package and
    ``local/NAME`` for a directory of sources. ``address`` is that repository's web address, empty for the latter two;
    ``revision`` the tag or commit that the metadata names for this very version, else empty, and then there is no
    permalink. ``folder`` is what stands before a module's path in that repository (``Lib/`` in Python's own).
    ``names`` are the top-level names that are imported. ``analyzed_sha`` are the first 40 digits of a SHA-256 over the
    files' paths and hashes; ``analyzed_at`` is the newest time of them, ISO 8601 in UTC.
    """

    distribution: str
    version: str = ""
    repository: str
    address: str = ""
    revision: str = ""
    folder: str = ""
    summary: str = ""
    names: tuple[str, ...] = ()
    analyzed_sha: str = ""
    analyzed_at: str = ""


class PackageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A distribution and its modules in the order of their paths, those that could not be read among them.

    A module's ``relative`` is the path as in the distribution; in a record's file path the origin's ``folder`` stands
    before it.
    """

    origin: Origin
    modules: tuple[ModuleFacts, ...] = ()
