"""The texts of a record, as plain sentences made of facts: where a fact is missing the sentence is missing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from kb.harvest.advice import advice
from kb.harvest.expressions import LONGEST, code_span, listed
from kb.harvest.facts import FunctionFacts, Site
from kb.harvest.guards_in_words import may_be_forestalled, when, when_around
from kb.harvest.lineage import is_public

__all__ = ["Known", "documentation", "elsewhere", "solutions", "triggers"]

_CONFIGURED: Final = re.compile(r"Improperly|Config")
_LONGEST_SUMMARY: Final = 400
_MOST_NAMED: Final = 5
_DECLARED: Final = re.compile(r"^(?:class )?[A-Za-z_][\w.]*\(.*\)(?: -> .*)?$")  # a signature, no description
_MARKUP: Final = re.compile(r":[a-z:]+:`~?\.?([^`<]+?)(?: <[^`]*>)?`|``([^`]+)``")  # reStructuredText, as code
_REFUSAL: Final = "Do not pass"
_REFUSED: Final = "refused here"  # a warning refuses nothing
_UNSUPPORTED: Final = re.compile(r"(?i)support|\bcan(?:not|'t)\b|not (?:available|possible|allowed)")
_MODULE: Final = re.compile(r"^(?:import|from) ([A-Za-z_][\w.]*)")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What the whole package tells of one site.

    ``subject`` is how the function around is named to readers (``requests.Session.send()``), empty at module level;
    ``module`` the module's name. ``cls`` is the class, ``summary`` its docstring's first paragraph, ``ancestors`` what
    an ``except`` can name besides; ``values`` are the expressions behind placeholders without a name. ``callers`` are
    public functions that lead here, nearest first, ``function`` the facts of the function around, ``public`` whether a
    program can call it.
    """

    site: Site
    module: str
    subject: str = ""
    cls: str = ""
    values: tuple[str, ...] = ()
    summary: str = ""
    ancestors: tuple[str, ...] = ()
    callers: tuple[str, ...] = ()
    function: FunctionFacts | None = None
    public: bool = False


def documentation(known: Known) -> str:
    """What happens, where and when; what the class is."""
    site = known.site
    lines = [_event(known), _about_block(site), _about_values(known), _consequence(site)]
    described = [_about_class(known), _about_ancestors(known)]
    paragraphs = [" ".join(filter(None, lines)), " ".join(filter(None, described))]
    return "\n\n".join(filter(None, paragraphs))


def _event(known: Known) -> str:
    """The first sentence."""
    site = known.site
    clause = _clause(site)
    if site.kind == "check" and not known.subject:  # made when its module is imported, reported by a function
        return f"A system check {_verb(known)}."
    subject = code_span(known.subject) if known.subject else f"Importing {code_span(known.module)}"
    if site.kind == "raise" and site.guard.place == "only" and site.cls == "NotImplementedError" and known.subject:
        return f"{subject} has no implementation of its own: it only raises `NotImplementedError`."
    verb = _verb(known)
    return f"{subject} {verb}{' ' + clause if clause else ''}."


def _clause(site: Site) -> str:
    """When it happens; for an assertion the asserted condition is said by the verb."""
    return "" if site.kind == "assert" and not site.guard.condition else when(site.guard)


def _verb(known: Known) -> str:
    """What the code does there; with the class when there is one."""
    site, cls = known.site, code_span(known.cls)
    level = f" at the level {code_span(site.level)}" if site.level else ""
    named, unnamed = {
        "raise": (f"raises {cls}", "raises an exception with this message"),
        "warning": (f"gives a {cls}", "gives a warning"),
        "log": (written := f"writes {_level(site)} to the log", written),
        "check": (reported := f"reports {code_span(site.code) if site.code else 'a problem'}{level}", reported),
        "exit": ("ends the program with this message", "ends the program with this message"),
        "parser": (f"refuses the command line with a {cls}", "refuses the command line"),
        "assert": ("fails an assertion", "fails an assertion"),
    }[site.kind]
    return named if known.cls else unnamed


def _level(site: Site) -> str:
    words = {"critical": "a critical message", "fatal": "a critical message", "warning": "a warning"}
    return words.get(site.level, "an error")


def _about_block(site: Site) -> str:
    """The condition around, and what the exception was raised from."""
    sentences = []
    around = when_around(site.guard)
    if around and around not in _clause(site):
        sentences.append(f"This applies only when {around}.")
    if site.raised_from == "None":
        if site.guard.caught:
            sentences.append("The exception that led to it is not shown in the traceback.")
    elif site.raised_from and site.guard.caught and site.raised_from == site.guard.caught_as:
        sentences.append("The exception that led to it stands above it in the traceback, as its direct cause.")
    return " ".join(sentences)


def _about_values(known: Known) -> str:
    """What stands for the placeholders that the message does not name."""
    values = [value for value in known.values if len(value) <= LONGEST]
    if not values or len(values) < len(known.values):
        return ""
    if len(values) == 1:
        return f"The message gives {values[0]}."
    return f"The message gives {listed(values)}, in this order."


def _consequence(site: Site) -> str:
    """What follows from the kind of the site."""
    if site.kind == "exit" and site.exit_status is not None:
        return f"The exit status is {site.exit_status}."
    if site.kind == "parser" and site.exit_status is not None:
        return f"The usage is printed with it, and the exit status is {site.exit_status}."
    if site.kind == "assert":
        return "Assertions are not checked when Python runs with `-O`."
    if site.status:
        return f"The HTTP status is {site.status}."
    return ""


def _about_class(known: Known) -> str:
    summary = plain_summary(known.summary)
    if not summary or not known.cls:
        return ""
    return f"The docstring of {code_span(last_name(known.cls))} says: “{summary}”"


def plain_summary(summary: str) -> str:
    """A docstring's first paragraph as Markdown on one line; empty when it is no description, or a long one."""
    text = _MARKUP.sub(lambda match: f"`{match[1] or match[2]}`", " ".join(summary.split()))
    if len(text) > _LONGEST_SUMMARY:
        cut = max(text.rfind(end, 0, _LONGEST_SUMMARY) for end in (". ", "? ", "! "))
        text = text[: cut + 1] if cut > 0 else ""
    text = re.sub(r"[,;]\.$", ".", text)
    if not text or _DECLARED.match(text) or (text.endswith(":") and "." not in text):
        return ""
    return text if text[-1] in ".?!…" else f"{text.rstrip(',;: ')}."


def _about_ancestors(known: Known) -> str:
    if not known.ancestors or known.site.kind != "raise":
        return ""
    names = [code_span(last_name(name)) for name in known.ancestors if is_public(name)][:_MOST_NAMED]
    if not names:
        return ""
    return f"An `except` clause for {listed(names, 'or')} catches it, too."


def last_name(name: str) -> str:
    """The part after the last dot."""
    return name.rpartition(".")[2]


def triggers(known: Known) -> str:
    """The calls that lead to it."""
    others = [code_span(_within(name, known.module)) for name in known.callers if name != known.subject]
    if not known.subject and known.site.kind == "check":
        return ""
    if not known.subject:
        return f"Importing {code_span(known.module)}."
    if known.public:
        own = f"Calling {code_span(_within(known.subject, known.module))}"
        return f"{own}, also through {listed(others, 'or')}." if others else f"{own}."
    return f"It can be reached from {listed(others)}." if others else ""


def _within(name: str, module: str) -> str:
    """The name as it is used in the module itself."""
    return name.removeprefix(f"{module}.")


def solutions(known: Known) -> list[str]:
    """What to do, where a rule knows it; the most certain first."""
    site = known.site
    found = [_own_hint(site), _implementation(known), _installation(site)]
    if known.function is not None and known.public and site.kind in {"raise", "assert", "warning"}:
        words = advice(site.guard, known.function, attributes=bool(_CONFIGURED.search(site.cls)))
        if may_be_forestalled(site.guard):  # some of it may be passed: what an earlier branch takes
            words = [one for one in words if not one.startswith(_REFUSAL)]
        found.extend(one for one in words if site.kind != "warning" or _REFUSED not in one)
    return list(dict.fromkeys(filter(None, found)))


def _own_hint(site: Site) -> str:
    """A check's own advice."""
    hint = " ".join(site.hint.split())
    return f"{hint}{'' if hint.endswith(('.', '!', '?')) else '.'}" if hint else ""


def _implementation(known: Known) -> str:
    if known.site.cls != "NotImplementedError" or known.site.guard.place != "only" or known.function is None:
        return ""
    owner, _, method = known.function.name.rpartition(".")
    if not owner or not known.public or _UNSUPPORTED.search(known.site.message):
        return ""
    return f"Define {code_span(f'{method}()')} in the subclass of {code_span(last_name(owner))} that is used."


def _installation(site: Site) -> str:
    """A module that could not be imported."""
    caught = {"ImportError", "ModuleNotFoundError"} & set(site.guard.caught)
    match = _MODULE.match(site.guard.tried) if caught and len(site.guard.tried) <= LONGEST else None
    if match is None or site.guard.condition or match[1].partition(".")[0] in sys.stdlib_module_names:
        return ""
    return f"Install the package that provides {code_span(match[1])} in the environment that runs the program."


def elsewhere(sites: Sequence[Site]) -> str:
    """Where else in the file the same message is made."""
    if not sites:
        return ""
    places = list(dict.fromkeys(_place(site) for site in sites))
    shown = (
        listed(places[:_MOST_NAMED]) if len(places) <= _MOST_NAMED else ", ".join(places[:_MOST_NAMED]) + " and more"
    )
    return f"The same file has it at {len(sites)} more {_plural(sites, 'place')}: {shown}."


def _place(site: Site) -> str:
    return f"in {code_span(f'{site.function}()')} (line {site.line})" if site.function else f"in line {site.line}"


def _plural(things: Iterable[object], word: str) -> str:
    return word if len(list(things)) == 1 else f"{word}s"
