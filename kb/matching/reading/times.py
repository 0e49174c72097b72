"""Times as logs print them at the beginning of a line; pure."""

from __future__ import annotations

from typing import Final

__all__ = ["LEVEL", "TIME", "UPPER_LEVEL"]

_MONTH: Final = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY: Final = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CLOCK: Final = r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,:][0-9]{1,9})?(?:[ ]?[AP]M)?"
_ABBREVIATIONS: Final = r"Z|UTC|GMT|[ECMP][SD]T|[CEMW]ES?T|EES?T|BST|IST|JST|KST|MSK|AE[SD]T|HKT|SGT|NZ[SD]T"
_ZONE: Final = rf"(?:[ ]?(?:(?:{_ABBREVIATIONS})(?![A-Za-z])|[+-][0-9]{{2}}:?[0-9]{{2}}))?"
_ISO: Final = rf"[0-9]{{4}}[-/.][0-9]{{2}}[-/.][0-9]{{2}}(?:[T ]|,[ ]?)(?:{_CLOCK}|[0-9]{{1,2}}:[0-9]{{2}}){_ZONE}"
_SYSLOG: Final = rf"(?:<[0-9]{{1,3}}>)?{_MONTH}[ ]{{1,2}}[0-9]{{1,2}}(?:[ ][0-9]{{4}})?[ ]{_CLOCK}"
_DATED: Final = (
    rf"(?:{_DAY},?[ ])?(?:{_MONTH}[ ]{{1,2}}[0-9]{{1,2}}|[0-9]{{1,2}}[-/ ]{_MONTH}[-/ ][0-9]{{2,4}})[: ]{_CLOCK}"
    rf"(?:[ ](?:{_ABBREVIATIONS})(?![A-Za-z]))?(?:[ ][0-9]{{4}}(?![0-9]))?{_ZONE}"
)
_SLASHED: Final = rf"[0-9]{{1,2}}[-/.][0-9]{{1,2}}[-/.](?:[0-9]{{4}}|[0-9]{{2}}),?[ ]{_CLOCK}{_ZONE}"

TIME: Final = rf"(?:{_ISO}|{_SYSLOG}|{_DATED}|{_SLASHED}|{_CLOCK})"
"""A pattern without groups, linear: every quantifier is bounded."""

LEVEL: Final = (
    r"(?i:trace|debug|dbug|dbg|verbose|info|inf|notice|warning|warn|wrn|error|err|fail|critical|crit|fatal|severe"
    r"|panic|alert|emerg)"
)
"""A level in any case; to be trusted between brackets or separators only."""

UPPER_LEVEL: Final = (
    r"(?:TRACE|DEBUG|VERBOSE|INFO|NOTICE|WARNING|WARN|ERROR|ERR|FAILURE|CRITICAL|CRIT|FATAL|SEVERE|PANIC|ALERT|EMERG"
    r"|LOG|STATEMENT|DETAIL|HINT)"
)
"""A level as it stands without brackets: ``Error:`` and ``panic:`` are what programs say themselves."""
