"""A language of nothing but marked English, and what a page shows outside of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.test import override_settings
from django.utils.translation import to_locale, trans_real

from kb.api import reference
from kb.present.language import _kept as kept_messages
from kb.present.language import language_version
from kb.web.build import build_id
from tests.tools import messages
from tests.tools.messages import compiled

__all__ = ["BEGIN", "LANGUAGE", "Data", "marked", "pseudo", "speaking", "template", "unmarked"]

LANGUAGE = "en-xa"
BEGIN, END = "⟦", "⟧"
_SPOKEN = re.compile(r"aria-label|aria-description|alt|label|placeholder|title|data-(?:singular|plural)")
_IN_SCRIPTS = re.compile(r"data-[a-z-]+")
_MACHINES_VALUE = re.compile(r"[#./]\S*|[a-z]+(?:-[a-z]+)*|\d+")  # of a data attribute: no words for readers
_SILENT = frozenset({"script", "style", "svg"})
_VERBATIM = frozenset({"code", "pre", "kbd", "samp"})
_INLINE = frozenset({"a", "abbr", "b", "bdi", "em", "i", "mark", "span", "strong", "time", "wbr", *_VERBATIM})
_VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "wbr"})
_WORDS = re.compile(r"[^\W\d_]{2,}")
_SEAMS = re.compile(r" · |, |:\s?|; |\s\(")
_LONG = 12  # letters and digits that, in their order, are no coincidence
# Names, which are the same in every language.
_NAMES = frozenset(("Faultbook", "llms", "txt", "API", "HTTP", "JSON", "Markdown", "OpenAPI", "SQLite", "PostgreSQL"))
_UNITS = frozenset(("UTC", "KB", "MB"))


def marked(template: Catalog) -> Catalog:
    """Every message of ``template`` as itself in brackets."""
    made = Catalog(locale="en", fuzzy=False)
    for message in template:
        if message.id:
            texts = (message.id,) if isinstance(message.id, str) else tuple(message.id)
            said = tuple(f"{BEGIN}{text}{END}" for text in texts)
            made.add(message.id, said[0] if len(said) == 1 else said, context=message.context)
    return made


@pytest.fixture(scope="module")
def template() -> Catalog:
    """Every message, as the program now is."""
    return messages.template()


@pytest.fixture
def pseudo(template: Catalog, tmp_path: Path) -> Iterator[None]:
    """A site in a language whose every message is the English one in brackets."""
    with speaking(marked(template), tmp_path / "locale"):
        yield


@contextmanager
def speaking(catalog: Catalog, folder: Path, *, language: str = LANGUAGE) -> Iterator[None]:
    """A site whose language is ``catalog``, kept in ``folder``."""
    path = folder / to_locale(language) / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(compiled(catalog))
    kept: tuple[Callable[[], None], ...] = (
        kept_messages.cache_clear,
        trans_real._translations.clear,
        language_version.cache_clear,
        build_id.cache_clear,
        reference._page.cache_clear,
    )
    for forget in kept:
        forget()
    with override_settings(LOCALE_PATHS=[folder], KB_LANGUAGE=language):
        yield
    for forget in kept:
        forget()


@dataclass(frozen=True)
class Data:
    """What datasets say: the texts as they are, and all of them as one run of letters and digits."""

    texts: frozenset[str]
    run: str

    @classmethod
    def of(cls, texts: Collection[str]) -> Data:
        """From every text of the catalog."""
        pieces = {_bare(piece) for text in texts for piece in (text, *re.split(r"[{}|<>()]|\\s{2,}", text))}
        return cls(frozenset(pieces), "\n".join(_run(text) for text in texts))

    def explains(self, text: str) -> bool:
        """Whether ``text`` is no words of ours."""
        return self._explains(text) or all(self._explains(piece) for piece in _SEAMS.split(text))

    def _explains(self, piece: str) -> bool:
        bare = _bare(piece)
        if bare in self.texts or all(word in _NAMES | _UNITS for word in _WORDS.findall(bare)):
            return True
        run = _run(piece)
        return len(run) >= _LONG and run in self.run


def _bare(text: str) -> str:
    return " ".join(text.split()).strip("()[]{},;:·…“”\"'`→. ")


def _run(text: str) -> str:
    return "".join(letter for letter in re.sub(r"⟨U\+[0-9A-F]{4,6}⟩", "", text) if letter.isalnum())


def unmarked(page: str, data: Data) -> list[str]:
    """The visible words of ``page`` that are in no brackets and not in ``data``."""
    reader = _Reader(data)
    reader.feed(page)
    reader.close()
    reader.end_block()
    return sorted(set(reader.found))


class _Reader(HTMLParser):
    """Reads a page block by block, and the attributes that are read aloud, shown, or shown by a script."""

    def __init__(self, data: Data) -> None:
        super().__init__()
        self.found: list[str] = []
        self._data = data
        self._depth = 0
        self._joined = False  # whether the next text goes on where the last one ended
        self._block: list[tuple[str, bool]] = []  # text outside of brackets, and whether it stands as code
        self._open: list[str] = []
        self._foreign = 0  # how deep the element is that is in another language

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in _INLINE:
            self.end_block()
        self._joined = self._joined or tag == "wbr"
        if tag not in _VOID:
            self._open.append(tag)
            if not self._foreign and tag != "html" and given.get("lang"):
                self._foreign = len(self._open)
        if not self._foreign and given.get("class") != "ctl":  # whose title is a name in Unicode
            for text in _told(tag, given):
                self._judge([(piece, False) for piece in self._outside(text)])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Parts of drawings."""

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self.end_block()
        if len(self._open) == self._foreign:
            self._foreign = 0
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._foreign and not _SILENT.intersection(self._open):
            verbatim = bool(_VERBATIM.intersection(self._open))
            pieces = [(piece, verbatim) for piece in self._outside(data)]
            if self._joined and self._block and pieces:
                pieces[0] = (self._block.pop()[0] + pieces[0][0], verbatim)
            self._block.extend(pieces)
            self._joined = False

    def end_block(self) -> None:
        """What was read since the last one is a text of its own."""
        block, self._block = self._block, []
        self._judge(block)

    def _judge(self, block: list[tuple[str, bool]]) -> None:
        if self._data.explains("".join(text for text, _ in block)):
            return
        left = (" ".join(text.split()) for text, verbatim in block if not verbatim)
        self.found.extend(text for text in left if not self._data.explains(text))

    def _outside(self, text: str) -> Iterator[str]:
        for piece in re.split(f"([{BEGIN}{END}])", text):
            if piece in {BEGIN, END}:
                self._depth += 1 if piece == BEGIN else -1
            elif self._depth == 0:
                yield piece


def _told(tag: str, given: dict[str, str | None]) -> Iterator[str]:
    for name, value in given.items():
        shown = (tag, name, given.get("type")) in {("input", "value", "submit"), ("input", "value", "button")}
        described = (tag, name) == ("meta", "content") and given.get("name") == "description"
        scripted = _IN_SCRIPTS.fullmatch(name) and not _MACHINES_VALUE.fullmatch(value or "")
        if value and (_SPOKEN.fullmatch(name) or shown or described or scripted):
            yield value
