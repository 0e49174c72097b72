"""What interpreters, runtimes and operating systems say themselves; pure.

Such a message belongs to a library's record only with a frame in that library's raise site (the specification of
matching): the same words come from a thousand other places.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["GENERIC_CLASSES", "is_runtime_message"]

GENERIC_CLASSES: Final = frozenset(
    # Python
    """ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
    ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup
    FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
    IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
    ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError
    PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning
    RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit
    TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
    UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError socket.error
    """  # JavaScript, JVM, .NET, Ruby, PHP, C++, and what shells print in the place of a class
    """Error EvalError RangeError URIError AggregateError DOMException InternalError Throwable
    NullPointerException IllegalArgumentException IllegalStateException IndexOutOfBoundsException ClassCastException
    ArrayIndexOutOfBoundsException UnsupportedOperationException NumberFormatException IOException RuntimeException
    ClassNotFoundException NoSuchElementException ConcurrentModificationException InterruptedException SocketException
    ArgumentException ArgumentNullException InvalidOperationException NullReferenceException FormatException
    AggregateException NotSupportedException NotImplementedException TaskCanceledException ApplicationException
    SystemException ArgumentError StandardError NoMethodError FrozenError LoadError ErrorException LogicException
    InvalidArgumentException std::runtime_error std::logic_error std::invalid_argument std::out_of_range std::exception
    error fatal panic warning""".split()
)

# Matched at the beginning of a message without quotes around it. Bounded, so linear.
_FORMS: Final = re.compile(
    r"""(?:
      ['"]?[\w.\[\]]{1,80}['"]?\ (?:object\ |instance\ )?(?:has\ no\ attribute|is\ not\ (?:subscriptable|callable|iterable|an\ iterator|
        defined|a\ function|a\ constructor|iterable)|object\ is\ not|object\ does\ not\ support|objects?\ (?:cannot|is)\b)
    | (?:type\ object|module)\ .{1,80}has\ no\ attribute
    | object\ of\ type\ .{1,60}\ has\ no\ len
    | invalid\ literal\ for\ \w+\(\)
    | (?:un)?supported\ operand\ type|bad\ operand\ type
    | ['"]?\S{1,4}['"]?\ not\ supported\ between\ instances
    | (?:list|tuple|string|bytearray|range\ object|pop|dict)?\ ?(?:assignment\ )?(?:index|indices)\ (?:out\ of\ (?:range|bounds)|must\ be)
    | pop\ from\ (?:an\ )?empty
    | [\w.<>]{1,80}\(\)\ (?:missing\ |got\ (?:an\ unexpected|multiple)|takes\ )
    | no\ module\ named|cannot\ import\ name|dll\ load\ failed
    | (?:integer\ |float\ )?(?:division|modulo)\ (?:or\ modulo\ )?by\ zero
    | (?:global\ |free\ )?(?:name|variable|local\ variable)\ \S{1,80}\ (?:is\ not\ defined|referenced\ before)
    | cannot\ access\ local\ variable
    | could\ not\ convert\ string\ to|maximum\ recursion\ depth|maximum\ call\ stack
    | (?:cannot\ unpack|not\ enough\ values|too\ many\ values|need\ more\ than)
    | \S{1,20}\ codec\ can't|unhashable\ type|argument\ of\ type\ .{1,60}\ is\ not\ iterable
    | (?:can\ only|must\ be\ str|sequence\ item|string\ indices|not\ all\ arguments|dictionary\ (?:changed|keys))
    | (?:cannot|can't)\ (?:read\ propert|set\ propert|destructure|convert\ undefined|find\ module|access\ )
    | (?:undefined|null)\ is\ not|unexpected\ (?:token|end\ of|identifier|indent)|invalid\ (?:or\ unexpected|syntax|left-hand|array\ length)
    | (?:unterminated|expected\ an\ indented|unindent\ does)
    | called\ `?(?:option|result)::|attempt\ to\ (?:add|subtract|multiply|divide)|index\ out\ of\ bounds|already\ (?:mutably\ )?borrowed
    | runtime\ error:|all\ goroutines\ are|assignment\ to\ entry\ in\ nil|send\ on\ closed
    | object\ reference\ not\ set|index\ was\ outside\ the\ bounds|input\ string\ was\ not
    | undefined\ (?:method|local\ variable|variable|index|array\ key|offset|function)|uninitialized\ constant|wrong\ number\ of\ arguments
    | call\ to\ (?:a\ member|undefined)|trying\ to\ (?:access|get)|allowed\ memory\ size
    | (?:basic_string|vector|map)::|bad_alloc|segmentation\ fault|core\ dumped
    | \[(?:errno|winerror)\ -?[0-9]{1,6}\]|errno\ [0-9]{1,4}
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_ERRNO: Final = re.compile(r"(?:[a-z_]{2,20} )?\(?E(?!RR)[A-Z0-9]{3,15}\b")
_SYSTEM: Final = frozenset(
    " ".join(words.split())
    for words in """
    no such file or directory | permission denied | connection refused | connection reset by peer | broken pipe |
    connection timed out | no route to host | network is unreachable | address already in use | name or service
    not known | temporary failure in name resolution | no space left on device | too many open files | is a
    directory | not a directory | file exists | operation not permitted | operation not supported | resource
    temporarily unavailable | input/output error | invalid argument | bad file descriptor | cannot allocate memory
    | out of memory | timed out | null | none | true | false | killed | undefined | not found | unauthorized |
    forbidden | bad request | internal server error | bad gateway | service unavailable | gateway timeout | failed
    | error | unknown error | unknown | timeout | aborted | cancelled | canceled | interrupted | exit | an error
    occurred | something went wrong | invalid | invalid input | invalid value | access denied | read only
    """.split("|")
)


def is_runtime_message(message: str) -> bool:
    """Whether a message is one that a runtime or operating system prints by itself, or a universal word or two."""
    text = message.strip().strip("'\"`").strip()[:300]
    plain = " ".join(text.casefold().rstrip(".!").split())
    if not plain or plain in _SYSTEM:
        return True
    return _FORMS.match(text) is not None or _ERRNO.match(text) is not None
