"""What speaks for and against a record: independent pieces, each named, each with its weight."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from kb.matching import tuning
from kb.matching.answers import Evidence
from kb.matching.candidates import Candidate
from kb.matching.index.match_index import Facts, Found, MatchIndex
from kb.matching.index.tables import message_key
from kb.matching.languages import is_foreign
from kb.matching.paths import agreement, modules_of, packages_of
from kb.matching.question import Question, last_name, words
from kb.matching.reading.folding import fold
from kb.matching.runtime import GENERIC_CLASSES
from kb.matching.usual_words import usual_share

__all__ = ["Judged", "judge", "rarity"]


@dataclass(slots=True)
class Judged:
    """A candidate with its evidence.

    ``information`` is the weight of the words that fit in place, ``explained`` the share of the message's words that
    they and the gaps account for. ``supported`` says that something beside the text points to this record,
    ``contradicted`` that something points elsewhere; ``at_site`` that the nearest frame lies in its file; ``own_class``
    that a class which not every program raises is equal, ``other_class`` that two such classes differ; ``runs_on`` that
    the sentence goes on beyond what fits; ``same_message`` that the record's message is the very text; ``foreign`` that
    the languages differ; ``in_function`` that the nearest frame lies in its function; ``unworded`` that the record has
    its class in place of a message, since whoever raises it there gives the words.
    """

    facts: Facts
    found: Found | None
    evidence: list[Evidence] = field(default_factory=list)
    information: float = 0.0
    explained: float = 0.0
    overlap: float = 0.0
    supported: bool = False
    contradicted: bool = False
    at_site: bool = False
    own_class: bool = False
    other_class: bool = False
    runs_on: bool = False
    same_message: bool = False
    foreign: bool = False
    in_function: bool = False
    unworded: bool = False

    @property
    def score(self) -> float:
        """The sum of the evidence, in natural logarithms of odds."""
        return sum(piece.weight for piece in self.evidence)

    def add(self, kind: str, text: str, weight: float) -> None:
        """Notes one piece of evidence."""
        self.evidence.append(Evidence(kind=kind, text=text, weight=weight))


def judge(index: MatchIndex, question: Question, candidate: Candidate) -> Judged:
    """All evidence about one record for one fault."""
    judged = Judged(candidate.facts, candidate.found)
    judged.same_message = bool(question.fault.message) and candidate.facts.message_key == question.message_key
    _text(index, question, judged)
    _class(question, judged)
    _code(question, judged)
    _frames(question, judged)
    _packages(question, judged)
    _language(question, judged)
    if judged.facts.quality < 100:  # noqa: PLR2004  each finding takes one away
        judged.add("quality", "a record with flaws", -tuning.QUALITY * min(100 - judged.facts.quality, 5))
    return judged


def rarity(index: MatchIndex, word: str) -> float:
    """The logarithm of how rare a word is: in this catalog, and as far as it is too small to tell, anywhere."""
    count = index.commonness(word) + tuning.PRIOR_PATTERNS * usual_share(word)
    return math.log((index.patterns + tuning.PRIOR_PATTERNS) / count)


def weight_of(index: MatchIndex, some: frozenset[str]) -> float:
    """How rare words are together: the sum of the logarithms of their rarity, bounded."""
    return min(sum(rarity(index, word) for word in some if not word.isdigit()), tuning.MAX_INFORMATION)


def _text(index: MatchIndex, question: Question, judged: Judged) -> None:
    found = judged.found
    if found is None:
        _overlap(index, question, judged)
        return
    literals = frozenset(words(" ".join(index.pattern_parts(found.pattern))))
    matched = literals
    if found.partial:
        matched &= frozenset(words(fold(question.text[found.start : found.end])))
    judged.information = weight_of(index, matched) * (tuning.PARTIAL if found.partial else 1.0)
    rest = 0.0 if question.is_quoted else _rest(index, question, found, literals)
    judged.explained = judged.information / (judged.information + rest) if judged.information else 0.0
    text = "the beginning of the message fits" if found.partial else "the message fits"
    if judged.explained > tuning.EXPLAINED and not found.partial:
        text = "the whole message fits"
    judged.add("message", text, judged.information)
    judged.add("length", "literal text", tuning.LENGTH * min(found.matched, tuning.LONG))
    judged.runs_on = _runs_on(question.text, found, open_ahead=index.pattern_text(found.pattern).startswith("("))
    if rest:
        judged.add("rest", "words of the message that it does not explain", -tuning.REST * rest)
    if not found.strict and not found.partial:
        judged.add("loose", "only with quotes, blanks or line breaks apart", -tuning.LOOSE)


def _runs_on(text: str, found: Found, *, open_ahead: bool) -> bool:
    """Whether words stand right before or after what fits, in the same sentence and line; those before it are the value
    of a pattern that is ``open_ahead``, since it begins with a gap.
    """
    before = text[: found.start].rsplit("\n", 1)[-1].rstrip("'\"` ")
    after = text[found.end : found.end + 3].split("\n", 1)[0].lstrip("'\"`")
    if before[-1:].isalnum() and not open_ahead:
        return True
    return not found.partial and after[:1] == " " and after[1:2].isalnum()


def rest_weight(index: MatchIndex, some: frozenset[str]) -> float:
    """What words weigh that a record leaves unexplained: a word that no pattern holds is a value, and weighs little."""
    weight = 0.0
    for word in some:
        known = index.commonness(word) or usual_share(word) > tuning.USUAL
        weight += min(rarity(index, word), tuning.REST_WORD) if known else tuning.REST_VALUE
    return min(weight, tuning.MAX_INFORMATION)


def _rest(index: MatchIndex, question: Question, found: Found, literals: frozenset[str]) -> float:
    """The weight of the words around the match: before it in its paragraph, after it in its line."""
    text = question.text
    before = text[: found.start].rsplit("\n\n", 1)[-1][-400:]
    after = text[found.end :].split("\n", 1)[0][:400]
    if found.partial:
        after = ""
    return rest_weight(index, frozenset(words(fold(f"{before} {after}"))) - literals)


def _overlap(index: MatchIndex, question: Question, judged: Judged) -> None:
    if judged.facts.pattern < 0 or not question.words:
        return
    literals = frozenset(words(" ".join(index.pattern_parts(judged.facts.pattern))))
    common = weight_of(index, literals & question.words)
    whole = weight_of(index, literals)
    judged.overlap = common / whole if whole else 0.0
    if common and not question.is_quoted:
        missing = weight_of(index, literals - question.words)
        judged.add("words", "words of the message", tuning.OVERLAP * common - tuning.REST * missing)


def _class(question: Question, judged: Judged) -> None:
    theirs = last_name(judged.facts.cls or "")
    if not question.cls or not theirs:
        return
    if question.cls == theirs:
        judged.add("class", f"class `{theirs}`", tuning.CLASS_GENERIC if question.is_generic else tuning.CLASS)
        judged.own_class = not question.is_generic
        judged.unworded = judged.facts.message_key in {message_key(judged.facts.cls or ""), message_key(theirs)}
        judged.supported = judged.supported or judged.own_class
    elif theirs not in GENERIC_CLASSES or not question.is_generic:
        judged.other_class = theirs not in GENERIC_CLASSES and not question.is_generic
        judged.add("class", f"another class, `{theirs}`", tuning.CLASS_OTHER)
    else:
        judged.add("class", f"another class, `{theirs}`", tuning.CLASS_OTHER / 2)


def _code(question: Question, judged: Judged) -> None:
    code, status = judged.facts.code, judged.facts.status
    if code and code.casefold() in question.codes:
        judged.add("code", f"code `{code}`", tuning.CODE)
        judged.supported = True
    if status and status == question.fault.status:
        judged.add("status", f"HTTP status {status}", tuning.STATUS)


def _frames(question: Question, judged: Judged) -> None:
    """The frame that agrees best with the record's place."""
    best = (0.0, -1, 0.0)
    for number, place in enumerate(question.places):
        agreed = agreement(place, judged.facts.path)
        weight = agreed * tuning.FRAME * tuning.FRAME_DECAY**number
        if weight > best[0]:
            best = (weight, number, agreed)
    weight, number, agreed = best
    if number < 0:
        return
    frame = question.frames[number]
    if agreed < 0.5:  # noqa: PLR2004  a neighbor only
        judged.add("frame", f"near the file of frame {number + 1}, `{judged.facts.path}`", weight)
        return
    judged.at_site = number == 0
    judged.supported = True
    judged.add("frame", f"raised in `{judged.facts.path}` as in frame {number + 1}", weight)
    function = last_name(judged.facts.function)
    if function and function == last_name(frame.function):
        judged.in_function = judged.at_site
        judged.add("function", f"in `{function}`", tuning.FUNCTION * tuning.FRAME_DECAY**number)
    if frame.line and judged.facts.line:
        distance = abs(frame.line - judged.facts.line)
        if distance <= tuning.LINE_NEAR:
            near = 1.0 - distance / (tuning.LINE_NEAR + 1)
            judged.add("line", "at the line" if distance <= 1 else "near the line", tuning.LINE * near)


def _packages(question: Question, judged: Judged) -> None:
    names = packages_of(judged.facts.path, judged.facts.repo)
    if question.class_package in names:
        judged.add("module", f"the class belongs to `{question.class_package}`", tuning.CLASS_MODULE)
        judged.supported = True
    module = next((module for module in modules_of(judged.facts.path) if module in question.modules), "")
    if module:
        judged.add("module", f"the message names `{module}`", tuning.MODULE)
        judged.supported = True
    ranks = [rank for package, rank in question.packages.items() if package in names]
    if ranks:
        name = next(package for package in question.packages if package in names)
        judged.add("package", f"frames in `{name}`", tuning.PACKAGE * tuning.FRAME_DECAY ** min(ranks))
        judged.supported = judged.supported or min(ranks) == 0
    elif question.packages:
        judged.add("package", "frames in other packages", tuning.PACKAGE_OTHER)
        judged.contradicted = True
    if question.named & names:
        judged.add("context", "named by the caller", tuning.CONTEXT)


def _language(question: Question, judged: Judged) -> None:
    theirs = judged.facts.language
    if theirs in question.languages:
        judged.add("language", theirs, tuning.LANGUAGE)
    elif is_foreign(question.fault.language, theirs):
        judged.add("language", f"a record of {theirs}", tuning.LANGUAGE_OTHER)
        judged.foreign = judged.contradicted = True
