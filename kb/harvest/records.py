"""From the facts of a package to records in the dataset's own field names: one for each message and file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

import msgspec

from kb.harvest.facts import ModuleFacts, Site
from kb.harvest.families import error_type, family_of, kebab, severity_of, tags_of
from kb.harvest.gate import Gate, GateReport
from kb.harvest.guard_kinds import guard_kind
from kb.harvest.handling import catch_pattern, strategy_of
from kb.harvest.lineage import Lineage, builtin_class
from kb.harvest.linking import Links
from kb.harvest.packages import Origin, PackageFacts
from kb.harvest.patterns import is_readable, pattern_of, values_of
from kb.harvest.provenance import permalink, record_id, slug_of, tell_slugs_apart
from kb.harvest.reach import Reach
from kb.harvest.sentences import Known, documentation, elsewhere, solutions, triggers
from kb.records.record import SCHEMA_VERSION
from kb.records.rules import HARVEST_ORIGIN
from kb.records.text import clean_text

__all__ = ["records_of"]

_CODE: Final = re.compile(r"(?=.*[A-Z0-9/])[A-Za-z0-9][\w./-]*")
"""A code that names one error; plain words such as ``invalid`` name many."""
_CLASS: Final = re.compile(r"(?:[A-Za-z_]\w*\.)*_*[A-Z]\w*|(?:[A-Za-z_]\w*\.)+(?:error|timeout|herror|gaierror)")
_SCRIPT: Final = "__name__ == '__main__'"
_KIND_ORDER: Final = ("raise", "check", "exit", "parser", "warning", "assert", "log")


def records_of(package: PackageFacts, *, available: Collection[str] = ()) -> tuple[list[dict[str, Any]], GateReport]:
    """The records of a package in the order of files and lines, and what became of its sites.

    ``available`` are the top-level names that can be imported where the records are read, besides the package's own
    and the standard library: only classes behind such imports are named in ``tryCatchPattern``.
    """
    maker = _Maker(package, Lineage(package, available))
    gate = Gate()
    records: list[dict[str, Any]] = []
    sites = further = unreadable = 0
    for module in package.modules:
        groups, lost = maker.groups(module)
        sites += len(module.sites)
        unreadable += lost
        made = gate.passed(maker.record(module, group) for group in groups)
        further += sum(len(record.get("sites", ())) for record in made)
        records.extend(made)
    tell_slugs_apart(records)
    report = GateReport(
        sites=sites,
        records=len(records),
        further=further,
        unreadable=unreadable,
        refused=gate.refused,
        examples=tuple(gate.examples),
    )
    return records, report


class _Maker:
    """What is the same for all records of a package."""

    def __init__(self, package: PackageFacts, lineage: Lineage) -> None:
        self._origin: Origin = package.origin
        self._lineage = lineage
        self._links = Links(lineage)
        self._reach = Reach(package, lineage)
        self._tag = kebab(package.origin.distribution)

    def groups(self, module: ModuleFacts) -> tuple[list[list[Site]], int]:
        """The sites of a module, those of one record together, the one that the record shows first; and how many
        sites have nothing that a record could be found by.
        """
        by_key: dict[str, list[Site]] = {}
        codes: dict[str, str] = {}
        lost = 0
        seen: set[tuple[str, int]] = set()
        settled = [self._settled(site, module) for site in module.sites]
        for site in sorted(settled, key=lambda site: (site.line, _KIND_ORDER.index(site.kind))):
            if site.code and codes.setdefault(site.code, site.message) != site.message:
                site = msgspec.structs.replace(site, code=None)  # noqa: PLW2901  another message of the same code
            key = "" if _SCRIPT in site.guard.condition else site.code or site.message or site.cls
            if (key, site.line) in seen:
                continue
            if key:
                seen.add((key, site.line))
                by_key.setdefault(key, []).append(site)
            else:
                lost += 1
        return [sorted(group, key=lambda site: _KIND_ORDER.index(site.kind)) for group in by_key.values()], lost

    def _settled(self, site: Site, module: ModuleFacts) -> Site:
        """The site completed from the rest of the package, its class under the name of its definition, with no more
        code or message than can be used.
        """
        site = self._links.complete(site, module)
        cls = self._lineage.resolve(site.cls)
        known = self._lineage.classes.get(cls)
        own = site.kind == "raise" and known is not None
        message = clean_text(site.message)[0] if is_readable(site.message) else ""
        code = site.code if site.code and _CODE.fullmatch(site.code) else None
        status = site.status or (known.status if known else None)
        usable = cls if known or builtin_class(cls) or _CLASS.fullmatch(cls) else ""
        if not message and not code and not own:
            usable = ""
        return msgspec.structs.replace(site, cls=usable, message=message, code=code, status=status)

    def _known(self, module: ModuleFacts, site: Site) -> Known:
        qualified = f"{module.module}.{site.function}" if site.function else ""
        summary = self._lineage.classes[site.cls].summary if site.cls in self._lineage.classes else ""
        return Known(
            site=site,
            module=module.module,
            subject=self._reach.as_called(qualified) if qualified else "",
            cls=site.cls,
            values=tuple(values_of(site)),
            summary=summary,
            ancestors=tuple(self._lineage.ancestors(site.cls)) if site.cls in self._lineage.classes else (),
            callers=tuple(self._reach.as_called(name) for name in self._reach.callers(qualified)) if qualified else (),
            function=self._reach.function(qualified),
            public=self._reach.is_public(qualified),
        )

    def record(self, module: ModuleFacts, group: Sequence[Site]) -> dict[str, Any]:
        """One record of sites that share code or message."""
        site, others = group[0], group[1:]
        known = self._known(module, site)
        message = site.message or site.cls or site.code or ""
        shown = bool(site.snippet.strip())  # lines of a generated file can be too long to show
        family = family_of(site)
        calls = ((known.subject,) if known.public else ()) + known.callers
        caught = catch_pattern(site, self._lineage, calls)
        origin, path = self._origin, f"{self._origin.folder}{module.relative}"
        return {
            "id": record_id(origin.repository, site.code or message, path),
            "repo": origin.repository,
            "slug": slug_of(site.code, message),
            "errorCode": site.code,
            "errorMessage": message,
            "messagePattern": pattern_of(message),
            "errorType": error_type(site),
            "errorClass": site.cls or None,
            "httpStatus": site.status,
            "severity": severity_of(site),
            "filePath": path,
            "lineNumber": site.line,
            "sourceCode": clean_text(site.snippet)[0] if shown else None,
            "sourceCodeStart": site.snippet_start if shown else None,
            "sourceCodeEnd": site.snippet_end if shown else None,
            "githubUrl": permalink(origin, path, site.line),
            "documentation": documentation(known),
            "triggerScenarios": triggers(known),
            "commonSituations": elsewhere(others),
            "solutions": solutions(known),
            "exampleFix": None,
            "handlingStrategy": strategy_of(family, guard_kind(site.guard), catchable=caught is not None),
            "validationCode": None,
            "typeGuard": None,
            "tryCatchPattern": caught,
            "preventionTips": [],
            "tags": tags_of(site, self._tag, module.module),
            "backgroundTag": family,
            "analyzedSha": origin.analyzed_sha,
            "analyzedAt": origin.analyzed_at,
            "schemaVersion": SCHEMA_VERSION,
            **self._extra(module, known, others),
        }

    def _extra(self, module: ModuleFacts, known: Known, others: Iterable[Site]) -> dict[str, Any]:
        """The fields that the contract does not name; those without value are left out."""
        site, origin = known.site, self._origin
        extra = {
            "function": site.function,
            "sites": [{"line": other.line, "function": other.function} for other in others],
            "package": origin.distribution,
            "packageVersion": origin.version,
            "module": module.module,
            "fileSha256": module.digest,
            "baseClasses": list(known.ancestors),
        }
        return {"origin": HARVEST_ORIGIN} | {name: value for name, value in extra.items() if value}
