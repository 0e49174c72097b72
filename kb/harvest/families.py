"""What kind of error it is, by rule: type, severity, family, tags. Tables are read from the top; the first fit wins."""

from __future__ import annotations

import re
from typing import Final

from kb.harvest.facts import Site
from kb.harvest.guard_kinds import guard_kind

__all__ = ["error_type", "family_of", "kebab", "severity_of", "tags_of"]

_WARNING_STATUS: Final = 500  # statuses below it are the client's doing
_NOT_TAG: Final = re.compile(r"[^a-z0-9]+")
_DEPRECATED: Final = re.compile(r"Deprecat|FutureWarning|RemovedIn|Removal")

_BY_CLASS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern), family)
    for pattern, family in (
        (r"Deprecat|FutureWarning|RemovedIn", "deprecated-api"),
        (r"ImportError|ModuleNotFound|MissingDependency|PackageNotFound", "missing-dependency"),
        (r"(?i)timeout|TimedOut", "timeout"),
        (r"(?i)ratelimit|throttled|TooManyRequests", "rate-limited"),
        (r"(?i)csrf", "csrf-failed"),
        (r"NotAuthenticated|Unauthorized|LoginRequired", "authentication-required"),
        (r"AuthenticationFailed|InvalidCredential|AuthenticationError|LoginError", "invalid-credentials"),
        (r"PermissionDenied|PermissionError|Forbidden|Suspicious|AccessDenied", "permission-denied"),
        (r"FileNotFound|NotADirectory|IsADirectory|PathNotFound", "path-not-found"),
        (r"ConnectionRefused", "connection-refused"),
        (r"ConnectionReset|BrokenPipe|ConnectionAborted|Disconnected|ConnectionLost|IncompleteRead", "connection-lost"),
        (r"(?i)sslerror|tlserror|certificate", "tls-verification-failed"),
        (r"ProxyError", "proxy-failed"),
        (r"Connect(?:ion)?Error", "connection-failed"),
        (r"InvalidURL|URLError|InvalidSchema|MissingSchema|LocationParse", "invalid-url"),
        (r"InvalidHeader|HeaderError", "invalid-header"),
        (r"TooManyRedirects", "redirect-loop"),
        (r"TooLarge|RequestDataTooBig|TooBig", "request-too-large"),
        (r"NotAcceptable|UnsupportedMediaType", "content-negotiation-failed"),
        (r"MethodNotAllowed|UnsupportedOperation|NotSupported", "unsupported-operation"),
        (r"UnicodeDecode|DecodeError|DecodingError", "decoding-failed"),
        (r"UnicodeEncode|EncodeError|EncodingError|[Ss]erializ", "serialization-error"),
        (r"Parse|SyntaxError|TokenError|TokenizeError|ScannerError|LexError|JSONDecode", "parse-error"),
        (r"Improperly|Config(?:uration)?Error|UsageError|SettingsError", "invalid-configuration"),
        (r"MultipleObjects|Ambiguous", "ambiguous-lookup"),
        (r"DoesNotExist|NotFound|Http404|NoSuch|NoReverseMatch|Unresolv|UnknownName", "not-found"),
        (r"Closed", "resource-closed"),
        (r"IntegrityError|UniqueViolation", "integrity-violation"),
        (r"Transaction", "transaction-misuse"),
        (r"Validation|InvalidInput", "validation-failed"),
        (r"InvalidArgument|ArgumentError|BadParameter|BadArgument|BadOption", "invalid-argument"),
        (r"^(?:Database|Operational|Programming|Interface|Data|Internal)Error$", "database-error"),
        (r"CommandError", "command-failed"),
    )
)
_BY_MESSAGE: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), family)
    for pattern, family in (
        (r"\bdeprecated\b", "deprecated-api"),
        (r"\b(?:is not|isn't|not) installed\b|\bpip install\b", "missing-dependency"),
        (r"\btimed? ?out\b", "timeout"),
        (
            r"\b(?:is|are|been|already|was) closed\b|\bclosed (?:file|connection|cursor|stream|socket)\b",
            "resource-closed",
        ),
        (r"\bpermission denied\b|\bnot permitted\b|\bnot allowed to\b", "permission-denied"),
        (r"\bno such file\b|\bfile not found\b|\bpath .{0,40}does not exist\b", "path-not-found"),
        (
            r"\bnot supported\b|\bunsupported\b|\bnot implemented\b|\bdoes(?: not|n't) support\b",
            "unsupported-operation",
        ),
        (
            r"\bmust be (?:overridden|implemented|defined by)\b|\bsubclasses? (?:of .{1,60} )?must\b",
            "missing-implementation",
        ),
        (r"\bnot found\b|\bdoes(?: not|n't) exist\b", "not-found"),
    )
)
_BY_BUILTIN: Final[dict[str, str]] = {
    "ValueError": "invalid-argument",
    "TypeError": "invalid-argument",
    "KeyError": "not-found",
    "IndexError": "not-found",
    "LookupError": "not-found",
    "AttributeError": "missing-attribute",
    "AssertionError": "assertion-failed",
    "OverflowError": "value-out-of-range",
    "ZeroDivisionError": "value-out-of-range",
    "NotImplementedError": "unsupported-operation",
    "RecursionError": "resource-exhausted",
    "MemoryError": "resource-exhausted",
}
_KIND_TAGS: Final = {
    "warning": "warnings",
    "log": "logging",
    "check": "system-check",
    "exit": "command-line",
    "assert": "assertion",
    "parser": "command-line",
}
_GUARD_TAGS: Final = {
    "type": "type-check",
    "range": "range-check",
    "choice": "choices",
    "missing": "missing-value",
    "size": "length-check",
    "path": "file-system",
}
_CRITICAL: Final = re.compile(
    r"^(?:SystemError|MemoryError|RecursionError|ImproperlyConfigured)$|Config(?:uration)?Error$"
)


def error_type(site: Site) -> str:
    """The dataset's type of what the site does."""
    if site.status:
        return "http"
    if site.kind == "check":
        return "error_code"
    if site.kind in {"warning", "log", "exit", "parser"}:
        return "console"
    return "validation" if "Validation" in site.cls.rpartition(".")[2] else "exception"


def severity_of(site: Site) -> str:
    """How bad it is: by level, by status, by class."""
    if site.kind in {"check", "log"}:
        levels = {"critical": "critical", "fatal": "critical", "warning": "warning", "info": "info", "debug": "info"}
        return levels.get(site.level, "error")
    if site.kind == "warning":
        return "info" if "PendingDeprecation" in site.cls else "warning"
    if site.status:
        return "warning" if site.status < _WARNING_STATUS else "error"
    return "critical" if _CRITICAL.search(site.cls.rpartition(".")[2]) else "error"


def family_of(site: Site) -> str | None:
    """The family that spans repositories; None when no rule knows one."""
    cls = site.cls.rpartition(".")[2]
    if cls == "NotImplementedError" and site.guard.place == "only":
        return "missing-implementation"
    if {"ImportError", "ModuleNotFoundError"} & set(site.guard.caught):
        return "missing-dependency"
    found = next((family for pattern, family in _BY_CLASS if pattern.search(cls)), None)
    if found == "invalid-configuration" and guard_kind(site.guard) == "missing":
        return "missing-configuration"
    if found or site.kind == "check":
        return found or "invalid-configuration"
    found = next((family for pattern, family in _BY_MESSAGE if pattern.search(site.message)), None)
    return found or ("invalid-argument" if site.kind == "parser" else _BY_BUILTIN.get(cls))


def tags_of(site: Site, package: str, module: str) -> list[str]:
    """Subjects: the package, the part of it, what was done and what was asked."""
    parts = module.split(".")
    area = parts[1] if len(parts) > 1 and not parts[1].startswith("_") else ""
    found = [package, area, _KIND_TAGS.get(site.kind, "")]
    if _DEPRECATED.search(site.cls):
        found.append("deprecation")
    if site.cls == "NotImplementedError" and site.guard.place == "only":
        found.append("abstract-method")
    if site.status:
        found.append(f"http-{site.status}")
    found.append(_GUARD_TAGS.get(guard_kind(site.guard), ""))
    return list(dict.fromkeys(tag for name in found if (tag := kebab(name))))


def kebab(name: str) -> str:
    """The name as a tag: lower case, hyphens; empty when it has no letters or begins with none."""
    return re.sub(r"^[0-9-]+", "", _NOT_TAG.sub("-", name.lower()).strip("-"))
