"""The catalogs of messages are as the program is, and a translator's is taken, checked and shown."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from babel.messages.pofile import read_po
from django.template.base import Node, NodeList, TextNode
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode

from kb.env import EnvironmentReader, ImproperEnvironment
from kb.present.language import in_english, in_site_language, site_language, spoken
from kb.present.numbers import grouped
from tests.tools import messages
from tests.web.translated import Data, speaking, template, unmarked

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

__all__ = ["template"]
pytestmark = pytest.mark.no_db_matrix

KEPT = {".mo", ".po"}


def test_the_catalogs_are_as_the_program_is(tmp_path: Path, project_root: Path) -> None:
    """``make messages`` brings them up to date."""
    kept = project_root / "kb" / "locale"
    for path in sorted(kept.glob("*/LC_MESSAGES/django.po")):
        copy = tmp_path / path.relative_to(kept)
        copy.parent.mkdir(parents=True)
        copy.write_bytes(path.read_bytes())
    assert messages.main([], locale=tmp_path) == 0

    def content(root: Path) -> dict[str, bytes]:
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.*") if path.suffix in KEPT}

    assert content(tmp_path) == content(kept)


def test_every_template_holds_words_in_tags_alone(project_root: Path) -> None:
    """Whatever branch is taken: words stand in ``translate`` and ``blocktranslate``."""
    root = project_root / "templates"
    left = {}
    for path in sorted(root.glob("**/*.html")):
        name = path.relative_to(root).as_posix()
        if not name.startswith("admin/") and name != "500.html":  # English, and translated where it is sent
            left[name] = unmarked(_plain(get_template(name).template.nodelist), Data.of([]))
    assert {name: words for name, words in left.items() if words} == {}


def _plain(nodes: Iterable[Node]) -> str:
    """What a template itself says, all branches one after the other; 0 for what it gets from elsewhere."""
    return "".join(_said(node) for node in nodes)


def _said(node: Node) -> str:
    if isinstance(node, TextNode):
        return node.s
    if isinstance(node, BlockTranslateNode):
        return "0"
    if type(node).__name__ == "BlockNode" and node.name == "page_class":  # the class of the body
        return ""
    inside: list[NodeList] = [nodes for _, nodes in getattr(node, "conditions_nodelists", ())]
    inside += [nodes for name in node.child_nodelists if (nodes := getattr(node, name, None))]
    return "".join(map(_plain, inside)) or "0"


def test_the_page_of_server_errors_has_only_words_that_are_translated(project_root: Path) -> None:
    from html import unescape

    from kb.web.failures import _SERVER_ERROR_WORDS

    page = unescape((project_root / "templates" / "500.html").read_text(encoding="utf-8"))
    assert all(words in page for words in _SERVER_ERROR_WORDS)


TRANSLATED = {
    'msgid "What broke?"\nmsgstr ""': 'msgid "What broke?"\nmsgstr "Co się zepsuło?"',
    'msgstr[0] ""': 'msgstr[0] "%(number)s repozytorium"',
    'msgstr[1] ""': 'msgstr[1] "%(number)s repozytoria"',
    'msgstr[2] ""': 'msgstr[2] "%(number)s repozytoriów"',
}


def test_a_translator_begins_a_language_with_its_own_plurals(tmp_path: Path, capsys: Any) -> None:
    from django.utils.translation import ngettext

    assert messages.main(["pl"], locale=tmp_path) == 0
    path = tmp_path / "pl" / "LC_MESSAGES" / "django.po"
    begun = path.read_text(encoding="utf-8")
    whole = _entry(begun, "%(number)s repository")
    put = whole
    for old, new in TRANSLATED.items():
        put, begun = put.replace(old, new), begun.replace(old, new) if "msgid" in old else begun
    path.write_text(begun.replace(whole, put), encoding="utf-8")
    assert messages.main([], locale=tmp_path) == 0
    assert "pl: 2 of " in capsys.readouterr().out
    with path.open("rb") as file:
        polish = read_po(file, locale="pl")
    assert polish.get("What broke?").string == "Co się zepsuło?"
    with speaking(polish, tmp_path / "shown", language="pl"), site_language():
        said = [ngettext("%(number)s repository", "%(number)s repositories", number) for number in (1, 2, 5)]
    assert said == ["%(number)s repozytorium", "%(number)s repozytoria", "%(number)s repozytoriów"]


def _entry(text: str, message: str) -> str:
    return next(entry for entry in text.split("\n\n") if f'msgid "{message}"' in entry)


def test_wrong_placeholders_are_refused(template: Catalog) -> None:
    wrong = """
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\n"

#, python-format
msgid "%(number)s added"
msgstr "%(nummer)s dazu"
"""
    with pytest.raises(ValueError, match=r"de: .*added.*nummer"):
        messages.updated(wrong, "de", template)


def test_a_language_is_one_that_has_a_catalog(tmp_path: Path) -> None:
    for name in ("de", "pt_BR", "zh_Hans", "not-one"):
        path = tmp_path / name / "LC_MESSAGES" / "django.mo"
        path.parent.mkdir(parents=True)
        path.touch()

    def read(value: str) -> str:
        return EnvironmentReader({"KB_LANGUAGE": value}).language("KB_LANGUAGE", catalogs=[tmp_path / "none", tmp_path])

    known = {"": "en", "en": "en", "de": "de", "pt_BR": "pt-br", "pt-br": "pt-br", "zh-Hans": "zh-hans"}
    assert {value: read(value) for value in known} == known
    for value in ("fr", "not-one", "../de", "zh"):
        with pytest.raises(ImproperEnvironment, match="one of de, en, pt-br, zh-hans"):
            read(value)


def test_numbers_are_grouped_as_the_language_does(settings: Any) -> None:
    assert grouped(498785) == "498,785"
    settings.KB_LANGUAGE = "de"
    with site_language():
        assert grouped(498785) == "498.785"
    assert in_site_language(grouped)(-1234) == "-1.234"
    assert in_site_language(in_english(grouped))(1234) == "1,234"
    assert spoken() == ""


def test_languages_do_not_leak_between_threads(settings: Any) -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    from django.utils.translation import get_language

    settings.KB_LANGUAGE = "de"
    meet = Barrier(2, timeout=30)

    def said() -> tuple[str | None, str]:
        meet.wait()
        found = get_language(), spoken()
        meet.wait()
        return found

    with ThreadPoolExecutor(2) as pool:
        for _ in range(20):
            page, program = pool.submit(in_site_language(said)), pool.submit(in_english(said))
            assert (page.result(), program.result()) == (("de", "de"), ("en", "en"))
            assert pool.submit(spoken).result() == ""
