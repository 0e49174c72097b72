"""Code tokens of any shape in a text, and the equal forms of numeric ones; pure.

A text is cut into words once, and each word is judged by its shape, or by the word before it (``code: 42P01``,
``[Errno 2]``) when its shape alone says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["codes_in", "equal_codes"]

_MOST_TEXT: Final = 64 * 1024
"""Characters of a text that are looked at; a code stands in a message, not in a megabyte of log."""
_MOST_CODES: Final = 32
_LONGEST: Final = 80
_LONGEST_ERRNO: Final = 5

# The alternatives exclude each other, so one pass: a joining character counts only between two word characters.
_WORD: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_]|[-./](?=[A-Za-z0-9_]))*")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# -- Shapes that speak for themselves ----------------------------------------------------------------------------------

_NUMBERED: Final = re.compile(r"([A-Z]{1,10})(-?)([0-9]{3,6})[A-Z]?")
_DOTTED: Final = re.compile(r"[a-z_]{2,30}\.[CDEIW][0-9]{3}")
_UPPER: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_SLASHED: Final = re.compile(r"[a-z][a-z0-9-]{1,40}/[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_HEX: Final = re.compile(r"0[xX]([0-9A-Fa-f]{3,8})[lLuU]?")
_STATE: Final = re.compile(r"(?=[0-9A-Z]{0,4}[0-9])[0-9A-Z]{5}")

_STANDARDS: Final = _names(
    """A AES ANSI ASCII BCP BLAKE BASE CAST CP CUDA CVE CWE DDR DES DIN EAX EN ES FIPS FLOAT FP GB GMT GTX H HS IBM
    IEEE INT ISO IV K KB KOI MACOS MD PORT PR PS PY Q RC RFC RS RSA RTX SHA SM T UCS UINT US USB UTC UTF V W WIN WINDOWS
    WINDOWS X Y"""
)
"""Letters before a number that name a standard, a size, a device or a release, not an error."""
_ONE_LETTER: Final = frozenset("BCEFNPRS")
_ONE_LETTER_SHORT: Final = frozenset("EF")

_FAILURES: Final = _names(
    """ABORTED ALREADY BAD CANCELED CANCELLED CANNOT CERT CONFLICT DENIED DISALLOWED DUPLICATE E EAI ERR ERROR ERRORS
    EXCEEDED EXCEPTION EXHAUSTED EXPIRED EXPECTED FAIL FAILED FAILURE FAULT FORBIDDEN ILLEGAL INCOMPATIBLE INCORRECT
    INSUFFICIENT INTERRUPTED INVALID LOCKED LOST MALFORMED MISMATCH MISSING NO NOT NOTFOUND OVERFLOW PANIC REFUSED
    REJECTED REQUIRED RESET REVOKED STALE STATUS TIMEDOUT TIMEOUT UNABLE UNAUTHENTICATED UNAUTHORIZED UNAVAILABLE
    UNDEFINED UNEXPECTED UNIMPLEMENTED UNKNOWN UNRESOLVED UNSUPPORTED UNVERIFIED VIOLATION WRONG"""
)
"""Parts of an upper-case name that make it the name of a failure rather than of a setting."""

_SERVICES: Final = _names(
    """analytics app app-check appcheck auth database firestore functions installations messaging remote-config
    storage"""
)

_AGREED_ERRNOS: Final = """
    - EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD - ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST
    EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM
    ERANGE
"""
_ERRNO_NAMES: Final = tuple(_AGREED_ERRNOS.split())
"""The names of the numbers on which all Unix systems agree."""
_NAMED_ERRNOS: Final = _names(
    """EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADMSG ECANCELED ECONNABORTED ECONNREFUSED ECONNRESET
    EDEADLK EDESTADDRREQ EDQUOT EHOSTDOWN EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EISCONN EKEYEXPIRED EKEYREJECTED
    EKEYREVOKED ELOOP EMSGSIZE ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENOBUFS ENODATA ENOKEY ENOLCK ENOLINK ENOMSG
    ENOPROTOOPT ENOSR ENOSTR ENOSYS ENOTCONN ENOTEMPTY ENOTRECOVERABLE ENOTSOCK ENOTSUP EOPNOTSUPP EOVERFLOW EOWNERDEAD
    EPFNOSUPPORT EPROTO EPROTONOSUPPORT EPROTOTYPE EREMOTE EREMOTEIO ESHUTDOWN ESOCKTNOSUPPORT ESTALE ETIME ETIMEDOUT
    ETOOMANYREFS EUSERS EWOULDBLOCK ENOTFOUND ENODATA ESERVFAIL EREFUSED EBADRESP EBADNAME ECANCELLED EBADENGINE
    EBADPLATFORM EINTEGRITY EJSONPARSE ELIFECYCLE ENEEDAUTH ENOAUDIT ENOLOCK ENOLOCAL EOTP EPUBLISHCONFLICT ERESOLVE
    ETARGET EUNSUPPORTEDPROTOCOL EUSAGE ENOVERSIONS EUNKNOWNCONFIG EACCESS ESOCKET ESOCKETTIMEDOUT ECONNECTION EAUTH
    EENVELOPE EREQUEST ECONNCLOSED EINVALIDTYPE EMISSINGARG EPRIVATE EUNKNOWN"""
) | _names(_AGREED_ERRNOS) - {"-"}

# -- What the word before says -----------------------------------------------------------------------------------------

_CODE_WORDS: Final = _names(
    """code codes errcode errorcode error_code errno_code pgcode sqlcode sqlstate sql_state state statuscode
    error-code err_code reason error_type type"""
)
_NUMBER_WORDS: Final = _CODE_WORDS - {"type", "reason", "state"} | _names(
    "error err errno exception exit exited failed failure hr hresult ntstatus result scode status stop stopcode"
)
_TELLING: Final = _CODE_WORDS | _NUMBER_WORDS | {"occurred", "winerror"}
_ADDRESS_WORDS: Final = _names("address addr at memory object ptr pointer pc sp bp base offset rip region")
_ERROR_SEGMENTS: Final = _names("e err error errors u")
_ERROR_HOSTS: Final = ("err.", "error.", "errors.")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, what is between it and the word before, that one and the one before it in lower case, what follows."""

    text: str
    between: str
    previous: str
    before: str
    next: str


def codes_in(text: str) -> tuple[str, ...]:
    """The codes in a text in order of appearance, each once; a numeric one is followed by its equal forms.

    At most the first 32 of the first 64 KiB. Versions, dates, hashes, addresses and bare small numbers are no codes.
    """
    found: dict[str, None] = {}
    for word in _words(text[:_MOST_TEXT]):
        for code in _codes_of(word):
            found.setdefault(code)
        if len(found) >= _MOST_CODES:
            break
    return tuple(found)[:_MOST_CODES]


def equal_codes(code: str) -> tuple[str, ...]:
    """The code itself, then what is the same code written otherwise: ``-2147221164``, ``0x80040154``, ``2147746132``;
    ``Errno 2``, ``ENOENT``; ``WinError 5``, ``0x80070005``. Hexadecimal digits come in upper case.
    """
    name, _, number = code.partition(" ")
    if name.casefold() == "errno" and number.isdecimal() and len(number) < 4:  # noqa: PLR2004  longer ones have no name
        value = int(number)
        named = _ERRNO_NAMES[value] if value < len(_ERRNO_NAMES) else "-"
        return (code,) if named == "-" else (code, named)
    if name.casefold() == "winerror" and number.isdecimal() and len(number) < 6:  # noqa: PLR2004  16 bits
        return tuple(dict.fromkeys((code, *_number_forms(0x80070000 | (int(number) & 0xFFFF)))))
    value_of = _number(code)
    if value_of is None:
        return (code,)
    return tuple(dict.fromkeys((code, *_number_forms(value_of))))


def _number(code: str) -> int | None:
    """The value of a code that is a number of 32 bits, in any base and sign, and is no small one."""
    digits = code.removeprefix("-")
    if (matched := _HEX.fullmatch(digits)) is not None:
        return int(matched[1], 16)
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 10:  # noqa: PLR2004  digits of 32 bits
        return None
    value = -int(digits) if digits != code else int(digits)
    if value < 0:
        return value + (1 << 32) if value >= -(1 << 31) else None
    return value if (1 << 31) <= value < (1 << 32) else None


def _number_forms(value: int) -> tuple[str, ...]:
    """A 32-bit number as hexadecimal, and when it is a negative one, as signed and unsigned decimal."""
    if value < 1 << 31:
        return (f"0x{value:08X}",)
    return (f"0x{value:08X}", str(value - (1 << 32)), str(value))


def _words(text: str) -> Iterator[_Word]:
    end, previous, before = 0, "", ""
    for matched in _WORD.finditer(text):
        word = matched[0]
        start = matched.start()
        if previous in _TELLING or _may_tell(word):
            yield _Word(
                word, text[max(end, start - 12) : start], previous, before, text[matched.end() : matched.end() + 3]
            )
        end = matched.end()
        previous, before = word.lower() if len(word) <= _LONGEST else "", previous


def _may_tell(word: str) -> bool:
    """Whether a word may be a code by its shape; most words of a text are not, and cost nothing more."""
    if word[0].isdigit():
        return len(word) >= 5  # noqa: PLR2004  an SQLSTATE; longer ones are numbers of 32 bits
    if word.islower():
        return "/" in word or "." in word
    return word.isupper() or not word.isalpha()


def _codes_of(word: _Word) -> tuple[str, ...]:
    text = word.text
    if len(text) > _LONGEST:
        return ()
    if "/" in text:
        return _slashed(word)
    if text[0].isdigit():
        return _numeric(word)
    if text in _NAMED_ERRNOS or _is_numbered(text) or _DOTTED.fullmatch(text) or _is_failure(text):
        return (text,)
    return (text,) if _is_said_to_be_a_code(word) else ()


def _is_numbered(text: str) -> bool:
    """Whether a word is letters and a number, as in ``E0382``, ``ORA-00942``, ``LNK2019``."""
    matched = _NUMBERED.fullmatch(text)
    if matched is None:
        return False
    letters, hyphen, digits = matched.groups()
    if len(text) >= 8 and not hyphen and not set(letters) - set("ABCDEF"):  # noqa: PLR2004  a short hash
        return False
    if len(letters) > 1:
        return letters not in _STANDARDS
    if hyphen or letters not in _ONE_LETTER:
        return False
    return len(digits) > 3 or letters in _ONE_LETTER_SHORT  # noqa: PLR2004  a lint rule may be short


def _is_failure(text: str) -> bool:
    return _UPPER.fullmatch(text) is not None and not _FAILURES.isdisjoint(text.split("_"))


def _slashed(word: _Word) -> tuple[str, ...]:
    """``auth/invalid-email``, or the code at the end of an address of error documentation."""
    parts = word.text.split("/")
    if word.between.endswith("://"):
        known = word.text.startswith(_ERROR_HOSTS) or not _ERROR_SEGMENTS.isdisjoint(parts[1:-1])
        return (parts[-1],) if known and len(parts[-1]) > 2 and "." not in parts[-1] else ()  # noqa: PLR2004
    if word.next[:1] in {"/", "\\", ":", "@"} or word.between.endswith(("/", "\\", "@", ".")):
        return ()
    if parts[0] in _SERVICES and _SLASHED.fullmatch(word.text):
        return (word.text,)
    return (word.text,) if _is_said_to_be_a_code(word) and _SLASHED.fullmatch(word.text) else ()


def _numeric(word: _Word) -> tuple[str, ...]:
    text, between = word.text, word.between
    if text.isdecimal() and len(text) <= _LONGEST_ERRNO and not between.strip(" :=([#"):
        if word.previous in {"errno", "winerror"}:
            return equal_codes(f"{'Errno' if word.previous == 'errno' else 'WinError'} {text}")
        if word.previous == "error" and word.before == "os":
            return (f"os error {text}",)
    if _is_state(word):
        return (text,)
    if text[:2] in {"0x", "0X"}:
        return equal_codes(text) if _is_hexadecimal_code(word) else ()
    return _decimal(word) if text.isdecimal() else ()


def _decimal(word: _Word) -> tuple[str, ...]:
    """A number with its sign: a system's failure, or what is said to be a code and is no small number."""
    text, between = word.text, word.between
    negative = between.endswith("-") and not between[-2:-1].isalnum()
    if between.endswith(("-", "+")) and not negative:
        return ()
    code = f"-{text}" if negative else text
    told = word.previous in _NUMBER_WORDS and not set(between) - set(" :=([#'\"-")
    value = _number(code)
    if value is not None and (told or _is_system_code(value, is_signed=negative)):
        return equal_codes(code)
    return (code,) if told and word.previous in _CODE_WORDS and 4 <= len(text) <= 6 else ()  # noqa: PLR2004


def _is_state(word: _Word) -> bool:
    """Whether a word is an SQLSTATE: five characters after a word that says so, in its brackets, or before ODBC's."""
    if not _STATE.fullmatch(word.text):
        return False
    joined = not set(word.between) - set(" :=[('\"")
    if joined and (word.previous in {"sqlstate", "pgcode"} or (word.previous == "state" and word.before == "sql")):
        return True
    if joined and word.previous in _CODE_WORDS and not word.text.isdecimal():
        return True
    if word.between.endswith("[") and word.next[:1] == "]" and word.next[1:].strip() == "[":
        return True  # [42S02] [Microsoft][ODBC Driver 18 for SQL Server]
    # ERROR 1045 (28000): Access denied
    return (
        word.between == " (" and word.next.startswith("):") and word.previous.isdecimal() and len(word.previous) == 4  # noqa: PLR2004  digits of the server's own number
    )


def _is_hexadecimal_code(word: _Word) -> bool:
    matched = _HEX.fullmatch(word.text)
    if matched is None or word.previous in _ADDRESS_WORDS or word.between.endswith("<"):
        return False
    if not set(word.between) - set(" :=([#'\"") and word.previous in _NUMBER_WORDS:
        return True
    return len(matched[1]) == 8 and _is_system_code(int(matched[1], 16), is_signed=True)  # noqa: PLR2004  digits of 32 bits


def _is_system_code(value: int, *, is_signed: bool) -> bool:
    """Whether a number lies where HRESULT (0x80……) and NTSTATUS (0xC0……) failures do; unsigned decimals there are
    mostly sizes and times, but for the common system faults 0xC0000….
    """
    if not is_signed:
        return 0xC0000000 < value <= 0xC0000FFF  # noqa: PLR2004  the range
    return 0x80000000 < value <= 0x80FFFFFF or 0xC0000000 < value <= 0xC0FFFFFF  # noqa: PLR2004  the ranges


def _is_said_to_be_a_code(word: _Word) -> bool:
    """Whether the word before is one such as ``code`` and the form is that of a value, not of prose."""
    text, between = word.text, word.between
    if len(text) < 3 or between.startswith(".") or text.endswith("."):  # noqa: PLR2004
        return False
    if word.previous == "occurred":
        return between == " (" and word.next.startswith(")")
    if word.previous not in _CODE_WORDS or set(between) - set(" :=[('\">"):
        return False
    if word.previous in {"type", "reason", "state"} and "=" not in between and _STATE.fullmatch(text) is None:
        return False
    if text.islower() and text.isalpha():
        return "=" in between or "'" in between or '"' in between or ">" in between
    return any(mark in between for mark in "=:['\">(") or text.isupper() or _STATE.fullmatch(text) is not None
