"""The words of a report's page, in the language of the site. What other renderings say stays in English.

Plain text; who prints it escapes it. Names that stand in the text itself (classes, languages, the kinds of secrets that
were masked in it) are no words of ours and stay as they are.
"""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation import gettext, gettext_noop, ngettext, pgettext

from kb.matching.answers import Confidence, Evidence, Explanation
from kb.present.explanation_parts import Section
from kb.present.numbers import grouped

__all__ = ["confidence_word", "facts", "headline", "reason_phrase", "relation_word", "role_word", "title_words"]

# What kb.matching says for a record or against it: `…` is a name, # a number.
_PHRASES: Final = (
    gettext_noop("the whole message fits"),
    gettext_noop("the message fits"),
    gettext_noop("the beginning of the message fits"),
    gettext_noop("words of the message that it does not explain"),
    gettext_noop("only with quotes, blanks or line breaks apart"),
    gettext_noop("words of the message"),
    gettext_noop("literal text"),
    gettext_noop("class `%(name)s`"),
    gettext_noop("another class, `%(name)s`"),
    gettext_noop("code `%(name)s`"),
    gettext_noop("HTTP status %(number)s"),
    gettext_noop("near the file of frame %(number)s, `%(name)s`"),
    gettext_noop("raised in `%(name)s` as in frame %(number)s"),
    gettext_noop("in `%(name)s`"),
    gettext_noop("at the line"),
    gettext_noop("near the line"),
    gettext_noop("the class belongs to `%(name)s`"),
    gettext_noop("the message names `%(name)s`"),
    gettext_noop("frames in `%(name)s`"),
    gettext_noop("frames in other packages"),
    gettext_noop("named by the caller"),
    gettext_noop("a record with flaws"),
)
_BY_SHAPE: Final = {phrase % {"name": "…", "number": "#"}: phrase for phrase in _PHRASES}
_FOREIGN: Final = re.compile(r"a record of ([^`]*)")
_NAME: Final = re.compile(r"`([^`]*)`")
_NUMBER: Final = re.compile(r"(?<!\S)\d+(?=,|\s|$)")


def headline(explanation: Explanation, shown: int) -> str:
    """What was found, as the title of the page; ``shown`` counts the errors that have a section."""
    if explanation.status == "empty":
        return gettext("There is nothing to look up in this text")
    if explanation.status == "none":
        return gettext("No record fits this text")
    return ngettext("%(number)s error in this text", "%(number)s errors in this text", shown) % {
        "number": grouped(shown)
    }


def facts(explanation: Explanation, lines: int) -> tuple[str, ...]:
    """What was read, in short: languages, frames, lines, secrets."""
    faults = [answer.fault for answer in explanation.faults]
    languages = dict.fromkeys(fault.language for fault in faults if fault.language)
    frames = sum(len(fault.frames) for fault in faults)
    said = [*languages]
    if frames:
        said.append(ngettext("%(number)s frame", "%(number)s frames", frames) % {"number": grouped(frames)})
    said.append(ngettext("%(number)s line", "%(number)s lines", lines) % {"number": grouped(lines)})
    total = sum(entry.count for entry in explanation.masked)
    if total:
        kinds = ", ".join(
            entry.kind if entry.count == 1 else f"{entry.kind} ({grouped(entry.count)})" for entry in explanation.masked
        )
        told = ngettext("%(number)s secret hidden: %(kinds)s", "%(number)s secrets hidden: %(kinds)s", total)
        said.append(told % {"number": grouped(total), "kinds": kinds})
    return tuple(said)


def title_words(section: Section) -> str:
    """``Class: message``, or words for an error that has neither."""
    return section.title if section.cls or section.message else gettext("an error whose message is cut off")


def confidence_word(confidence: Confidence | None) -> str:
    """How sure a match is."""
    if confidence is None:
        return gettext("no record")
    return {
        "exact": pgettext("match", "exact"),
        "strong": pgettext("match", "strong"),
        "weak": pgettext("match", "weak"),
    }[confidence]


def role_word(role: str) -> str:
    """Where an error stands in its chain, of ``Section.role``."""
    words = {"root cause": gettext("root cause"), "outermost": gettext("outermost")}
    return words.get(role, "")


def relation_word(relation: str) -> str:
    """How an error came to stand below another one, of ``ChainLink.relation``."""
    words = {
        "caused by": gettext("caused by"),
        "raised while handling": gettext("raised while handling"),
        "suppressed": gettext("suppressed"),
        "member of the group": gettext("member of the group"),
        "quoted inside": gettext("quoted inside"),
        "the exception before": gettext("the exception before"),
    }
    return words.get(relation, "")


def reason_phrase(evidence: Evidence) -> str:
    """The phrase of ``evidence``, back-quotes around code. Of a frame's path only the file is named: the page shows the
    whole path beside it. A phrase that is not known stays as it is.
    """
    foreign = _FOREIGN.fullmatch(evidence.text)
    if foreign:
        return gettext("a record of %(language)s") % {"language": foreign[1]}
    names = _NAME.findall(evidence.text)
    shape = _NAME.sub("`…`", evidence.text)
    phrase = _BY_SHAPE.get(_NUMBER.sub("#", shape))
    if phrase is None:
        return evidence.text
    name = names[0] if names else ""
    if evidence.kind == "frame":
        name = name.rpartition("/")[2] or name
    return gettext(phrase) % {"name": name, "number": next(iter(_NUMBER.findall(shape)), "")}
