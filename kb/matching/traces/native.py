"""C and C++: uncaught exceptions, assertions, aborts and signals, reports of sanitizers, and errors of the tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from kb.matching.shapes import Fault, Frame, Line
from kb.matching.traces.drafts import MAX_FRAME_LINE, Draft, indent_of, number
from kb.matching.traces.native_compilers import cmake_error, diagnostic, link_error, microsoft
from kb.matching.traces.native_pieces import add, is_source, joined, language_of, source_place, stack

__all__ = ["find"]

_Reader = Callable[[Sequence[Line], int, list[Draft]], int]

_THROWN: Final = "terminate called after throwing an instance of '"
_WHAT: Final = "what():"
_UNCAUGHT: Final = re.compile(r"terminating (?:due to|with) uncaught exception of type (\S{1,300}?)(?:: |$)")
_REPORT: Final = re.compile(r"(?:ERROR|WARNING): (\w{1,20}Sanitizer): ")
_RUNTIME_ERROR: Final = ": runtime error: "
_ASSERTION: Final = re.compile(r"Assertion [`'\u2018]|Assertion failed: ")
_FAILED_IN: Final = re.compile(r", (?:function (.{1,300}), )?file (\S.{0,500}), line ([0-9]{1,7})")
_CHECK: Final = re.compile(r"(\S{1,300})(?::|\()([0-9]{1,7})\)?\] (?=Check failed: )")
_ABORTS: Final = ("free(): ", "malloc(): ", "realloc(): ", "munmap_chunk(): ", "malloc_consolidate(): ",
    "corrupted size vs", "corrupted double-linked list", "double free or corruption", "*** stack smashing detected ***",
    "*** buffer overflow detected ***", "*** Error in `")  # fmt: skip
_SIGNALS: Final = ("Segmentation fault", "Bus error", "Illegal instruction", "Floating point exception")
_SIGNAL: Final = re.compile(
    rf"(?:.{{0,300}}: )?(?:line [0-9]{{1,7}}: {{1,8}})?(?:[0-9]{{1,9}} )?({'|'.join(_SIGNALS)})"
    r"(?= {0,8}\(core dumped\)| {2}|\s{0,8}$)"
)
_RECEIVED: Final = " received signal SIG"
_AFTERWARDS: Final = ("Aborted", "collect2: ", "compilation terminated", "SUMMARY: ", "Abort trap", "make: ***",
    ">>> ", "AddressSanitizer can not", "clang: error: linker command failed",
    "ld returned 1 exit status")  # fmt: skip
_INTERPRETER: Final = "Fatal Python error: "
_MOST_DUMP: Final = 100
_MOST_HEAD: Final = 40
_MOST_REPORT: Final = 300
_MOST_BYTES: Final = 60
_MOST_WHAT: Final = 20


def find(lines: Sequence[Line]) -> list[Fault]:
    """All faults of native programs and of the tools that build them in ``lines``, in text order."""
    drafts: list[Draft] = []
    whole = "\n".join(line.text for line in lines)
    readers = [(mark, reader) for mark, reader in _READERS if mark in whole]  # mostly none or few
    if not readers and not any(mark in whole for mark in _ABORTS):
        return []
    at = 0
    while at < len(lines):
        text = lines[at].text
        after = at + 1
        for mark, reader in readers:
            if mark in text:
                after = reader(lines, at, drafts)
                if after > at + 1 or (drafts and drafts[-1].last >= at):
                    break
        else:
            if text.startswith(_ABORTS) and len(text) <= MAX_FRAME_LINE:
                after = _abort(lines, at, drafts)
            elif drafts and drafts[-1].last == at - 1 and text.lstrip().startswith(_AFTERWARDS):
                drafts[-1].last = at
        at = max(at + 1, after)
    return [draft.build() for draft in drafts]


# -- What a program says as it ends ------------------------------------------------------------------------------------


def _terminate(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``terminate called after throwing an instance of 'X'`` and ``what():``."""
    text = lines[at].text
    begin = text.find(_THROWN)
    draft = Draft(cls="", language="C++", first=at, last=at)
    if begin < 0:
        draft.say(lines, at, text.index("terminate called "))
        return add(draft, drafts, at + 1)
    draft.cls = text[begin + len(_THROWN) :][:MAX_FRAME_LINE].rstrip().removesuffix("'")
    if at + 1 < len(lines) and lines[at + 1].text.lstrip().startswith(_WHAT):
        told = at + 1
        last = told
        while last + 1 < len(lines) and last < told + _MOST_WHAT and _is_told(lines[last + 1].text):
            last += 1
        draft.say(lines, told, lines[told].text.index(_WHAT) + len(_WHAT), last=last)
        draft.last = max(draft.last, last)
    return add(draft, drafts, draft.last + 1)


def _is_told(text: str) -> bool:
    """Whether a line below ``what():`` is still its text, not what a shell or handler prints next."""
    stripped = text.strip()
    return (
        bool(stripped)
        and not stripped.startswith((*_AFTERWARDS, *_SIGNALS, "*** ", "#", "[", "terminate called"))
        and ("core dumped" not in text and "Aborted" not in text[:80])
    )


def _uncaught(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``libc++abi: terminating due to uncaught exception of type X: message``."""
    matched = _UNCAUGHT.search(lines[at].text[:MAX_FRAME_LINE])
    if matched is None:
        return at + 1
    draft = Draft(cls=matched[1].rstrip(":"), language="C++", first=at, last=at)
    draft.say(lines, at, matched.end())
    return add(draft, drafts, at + 1)


def _assertion(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``program: file.c:2: function: Assertion `…' failed.`` and ``Assertion failed: …, file x.c, line 2``."""
    text = lines[at].text
    matched = _ASSERTION.search(text[:MAX_FRAME_LINE])
    if matched is None:
        return at + 1
    draft = Draft(cls="", language="C++", first=at, last=at)
    if matched[0].endswith(" "):
        placed = _FAILED_IN.search(text[:MAX_FRAME_LINE], matched.end())
        if placed is None or not is_source(placed[2]):
            return at + 1
        draft.say(lines, at, matched.start(), end=placed.start())
        draft.frames.append(Frame(path=placed[2], line=number(placed[3]), function=placed[1] or "", at=at))
    else:
        parts = text[: matched.start()].split(": ")
        for index, part in enumerate(parts):
            found = source_place(part)
            if found is not None:
                function = ": ".join(parts[index + 1 :]).removesuffix(": ").strip()
                draft.frames.append(Frame(path=found[0], line=found[1], function=function, at=at))
                break
        if not draft.frames:
            return at + 1
        draft.say(lines, at, matched.start())
    draft.language = language_of(draft.frames[0].path)
    return add(draft, drafts, at + 1)


def _check(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``F0501 … file.cc:12] Check failed: …``."""
    # What stood before the message may have been taken for the prefix of a log, so look there too.
    removed = lines[at].removed[-MAX_FRAME_LINE:]
    matched = _CHECK.search((removed + lines[at].text)[: 2 * MAX_FRAME_LINE])
    if matched is None or not is_source(matched[1]):
        return at + 1
    draft = Draft(cls="", language=language_of(matched[1]), first=at, last=at)
    draft.say(lines, at, max(matched.end() - len(removed), 0))
    draft.frames.append(Frame(path=matched[1].rpartition(":FATAL:")[2], line=number(matched[2]), function="", at=at))
    return add(draft, drafts, at + 1)


def _abort(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """What the C library says before it aborts; the language is not told."""
    text = lines[at].text
    draft = Draft(cls="", language="", first=at, last=at)
    named = text.startswith("*** Error in `")
    column = text.find("': ") + len("': ") if named and "': " in text else indent_of(text)
    draft.say(lines, at, column)
    return add(draft, drafts, at + 1)


def _signal(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``Segmentation fault`` and the like as a shell prints them; the language is not told."""
    text = lines[at].text
    matched = _SIGNAL.match(text[:MAX_FRAME_LINE], indent_of(text))
    if matched is None:
        return at + 1
    if drafts and drafts[-1].last == at - 1:
        drafts[-1].last = at
        return at + 1
    if any(_INTERPRETER in line.text for line in lines[max(0, at - _MOST_DUMP) : at + 1]):
        return at + 1  # an interpreter has told it
    draft = Draft(cls="", language="", first=at, last=at)
    draft.say(lines, at, matched.start(1), end=matched.end(1))
    return add(draft, drafts, at + 1)


def _received(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``Program received signal SIGSEGV, Segmentation fault.`` of a debugger, and the stack that may follow."""
    text = lines[at].text
    draft = Draft(cls="", language="C++", first=at, last=at)
    draft.say(lines, at, text.index(_RECEIVED) + len(" received signal "))
    for line in range(at + 1, min(len(lines), at + 12)):
        if lines[line].text.lstrip().startswith("#0 "):
            draft.frames, after = stack(lines, line)
            draft.last = after - 1
            if draft.frames:
                draft.language = language_of(draft.frames[0].path)
            break
    return add(draft, drafts, draft.last + 1)


# -- Sanitizers --------------------------------------------------------------------------------------------------------


def _report(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """A report: its kind is the message, its first stack the frames; it ends with its summary."""
    # The word before may have been taken for the prefix of a log, so look there too.
    removed = lines[at].removed[-_MOST_HEAD:]
    matched = _REPORT.search((removed + lines[at].text)[:MAX_FRAME_LINE])
    if matched is None:
        return at + 1
    draft = Draft(cls=matched[1], language="C++", first=at, last=at)
    draft.say(lines, at, max(matched.end() - len(removed), 0))
    line = at + 1
    while line < min(len(lines), at + _MOST_REPORT):
        text = lines[line].text
        if not draft.frames and text.lstrip().startswith("#0 "):
            draft.frames, line = stack(lines, line)
            draft.last = max(draft.last, line - 1)
            continue
        if _REPORT.search(text[:200]):
            break
        if text.startswith("SUMMARY: "):
            draft.last = _report_end(lines, line)
            break
        line += 1
    if draft.frames:
        draft.language = language_of(draft.frames[0].path)
    floor = drafts[-1].last if drafts else -1
    while draft.first - 1 > floor and draft.first > at - 2 and _opens_report(lines[draft.first - 1].text):
        draft.first -= 1
    return add(draft, drafts, draft.last + 1)


def _opens_report(text: str) -> bool:
    return text.startswith("=====") or text.endswith("DEADLYSIGNAL")


def _report_end(lines: Sequence[Line], summary: int) -> int:
    """The last line of a report: the bytes about an address may follow its summary."""
    for line in range(summary + 1, min(len(lines), summary + _MOST_BYTES)):
        text = lines[line].text
        if text.startswith("==") and text.rstrip().endswith("ABORTING"):
            return line
        if _REPORT.search(text[:200]):
            break
    return summary


def _runtime_error(lines: Sequence[Line], at: int, drafts: list[Draft]) -> int:
    """``file.c:3:36: runtime error: …`` of the sanitizer of undefined behavior."""
    text = lines[at].text
    begin = text.index(_RUNTIME_ERROR)
    found = source_place(text[:begin])
    if found is None:
        return at + 1
    draft = Draft(cls="", language=language_of(found[0]), first=at, last=at)
    draft.say(lines, at, begin + len(_RUNTIME_ERROR))
    frames, after = stack(lines, at + 1)
    draft.frames = joined(Frame(path=found[0], line=found[1], function="", at=at), frames)
    draft.last = after - 1
    return add(draft, drafts, after)


_READERS: Final[tuple[tuple[str, _Reader], ...]] = (
    ("terminate called ", _terminate),
    ("terminating ", _uncaught),
    ("Sanitizer: ", _report),
    (_RUNTIME_ERROR, _runtime_error),
    ("error: ", diagnostic),
    ("error C", microsoft),
    ("error LNK", microsoft),
    ("error D", microsoft),
    ("error RC", microsoft),
    (": undefined reference to ", link_error),
    (": multiple definition of ", link_error),
    ("ld: ", link_error),
    ("ld.lld: ", link_error),
    ("Assertion ", _assertion),
    ("Check failed: ", _check),
    ("CMake Error", cmake_error),
    (_RECEIVED, _received),
    *((signal, _signal) for signal in _SIGNALS),
)
"""What a line must hold for a reader to be asked; the readers look closer."""
