"""HTTP statuses named in a message; pure."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["status_in"]

_MOST_TEXT: Final = 2_000
_STATUS: Final = re.compile(
    r"""\bHTTP/\d(?:\.\d)?[ ](?P<line>[1-5]\d\d)\b
      | \bHTTP(?:[ ]Error|[ ]status(?:[ ]code)?|[ ]response(?:[ ]code)?|[ ]code)?[: ]{1,2}(?P<http>[1-5]\d\d)\b
      | \b[sS]tatus(?:[_ ]?[cC]ode)?(?:[ ]of)?['"]?[ ]{0,2}[:=]?[ ]{0,2}(?P<named>[1-5]\d\d)\b
      | \b(?P<side>[45]\d\d)[ ](?:Client|Server)[ ]Error\b
      | \b(?P<reason>[3-5]\d\d)[ ](?:Moved[ ]Permanently|Bad[ ]Request|Unauthorized|Payment[ ]Required|Forbidden
          |Not[ ]Found|Method[ ]Not[ ]Allowed|Not[ ]Acceptable|Request[ ]Timeout|Conflict|Gone|Payload[ ]Too[ ]Large
          |Unsupported[ ]Media|Unprocessable|Too[ ]Many[ ]Requests|Internal[ ]Server[ ]Error|Not[ ]Implemented
          |Bad[ ]Gateway|Service[ ](?:Temporarily[ ])?Unavailable|Gateway[ ]Time-?out)\b
    """,
    re.VERBOSE,
)


def status_in(text: str) -> int | None:
    """The first HTTP status that the text names in one of the usual forms."""
    found = _STATUS.search(text[:_MOST_TEXT])
    return int(found[found.lastgroup]) if found and found.lastgroup else None
