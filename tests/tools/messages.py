"""``python -m tests.tools.messages [LANGUAGE]``: the catalogs of messages as the program now is.

Writes ``kb/locale/en``, which holds every message and is the template of the rest; brings each other language up to
it, LANGUAGE as a new one; and compiles what is translated. Messages keep their file, not their line, so that a catalog
changes with its messages alone. Needs no gettext on the machine.
"""

from __future__ import annotations

import argparse
import copy
import io
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

if TYPE_CHECKING:
    from django.template import Template

__all__ = ["ROOT", "Message", "Translated", "compiled", "main", "messages", "template", "updated", "written"]

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "kb" / "locale"
_KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
    "pgettext_lazy": ((1, "c"), 2),
}
_VARYING = re.compile(r'^"(?:POT-Creation-Date|PO-Revision-Date|Generated-By|Report-Msgid-Bugs-To): .*\n', re.MULTILINE)
_WIDTH = 120


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message where it stands: ``id`` is one text, or the singular and the plural."""

    file: str
    id: str | tuple[str, str]
    context: str | None = None
    comments: tuple[str, ...] = ()


Translated = dict[str | tuple[str, str], str | tuple[str, ...]]


def messages() -> Iterator[Message]:
    """Every message of the program: of Python, of the templates, and the meanings of findings. Django is set up."""
    from kb.records.findings import FINDINGS
    from kb.records.problems import PROBLEM_CODES

    found = extract_from_dir(
        ROOT / "kb", method_map=[("**.py", "python")], keywords=_KEYWORDS, comment_tags=("Translators:",)
    )
    for file, _line, text, comments, context in found:
        yield Message(file=f"kb/{file}", id=text, context=context, comments=tuple(comments))
    for path in sorted((ROOT / "templates").glob("**/*.html")):
        yield from _of_template(path)
    # These stand below Django in the layers, so they are not marked where they stand.
    for name, meanings in (("findings", FINDINGS), ("problems", PROBLEM_CODES)):
        yield from (Message(file=f"kb/records/{name}.py", id=meaning) for meaning in meanings.values())


def _of_template(path: Path) -> Iterator[Message]:
    from django.template.loader import get_template
    from django.templatetags.i18n import BlockTranslateNode, TranslateNode
    from django.utils.text import normalize_newlines
    from django.utils.translation import trim_whitespace

    name = path.relative_to(ROOT / "templates").as_posix()
    made: Template = get_template(name).template
    nodes = made.nodelist
    file = f"templates/{name}"
    for node in nodes.get_nodes_by_type(TranslateNode):
        yield Message(file=file, id=node.filter_expression.var.literal.replace("%", "%%"), context=_context(node))
    for node in nodes.get_nodes_by_type(BlockTranslateNode):
        texts = [node.render_token_list(tokens)[0] for tokens in (node.singular, node.plural) if tokens]
        said = [trim_whitespace(text) if node.trimmed else normalize_newlines(text) for text in texts]
        yield Message(file=file, id=said[0] if len(said) == 1 else (said[0], said[1]), context=_context(node))


def _context(node: object) -> str | None:
    given = getattr(node, "message_context", None)
    return str(given.var) if given else None


def template() -> Catalog:
    """All messages without translations, in the order of their texts."""
    made = Catalog(locale="en", project="Faultbook", fuzzy=False, header_comment="# Messages of Faultbook.")
    for message in sorted(messages(), key=lambda entry: (entry.file, str(entry.id))):
        made.add(message.id, locations=[(message.file, 0)], auto_comments=message.comments, context=message.context)
    return made


def updated(translated: str, language: str, made: Catalog) -> Catalog:
    """The catalog with the text ``translated``, brought up to ``made``. Raises ``ValueError`` for wrong placeholders.

    A message whose English changed a little keeps its translation as a proposal, marked ``fuzzy``: it is not shown.
    """
    catalog = read_po(io.BytesIO(translated.encode()), locale=language, abort_invalid=True)
    catalog.update(copy.deepcopy(made))  # messages that are new to it become its own
    for message in catalog:
        if message.id and not any(message.string or ()):
            message.string = ("",) * catalog.num_plurals if message.pluralizable else ""
    for message, problems in catalog.check():
        if not message.fuzzy:
            raise ValueError(f"{language}: {message.id!r}: {problems[0]}")
    return catalog


def written(catalog: Catalog) -> str:
    """The text of a catalog, without what changes each time that it is written."""
    stream = io.BytesIO()
    write_po(stream, catalog, width=_WIDTH, sort_output=True, include_lineno=False, ignore_obsolete=True)
    return _VARYING.sub("", stream.getvalue().decode())


def compiled(catalog: Catalog) -> bytes:
    """The form that the program reads."""
    stream = io.BytesIO()
    write_mo(stream, catalog)
    return stream.getvalue()


def main(arguments: list[str], *, locale: Path = LOCALE) -> int:
    """Write the catalogs below ``locale``."""
    import django

    parser = argparse.ArgumentParser(prog="messages", description="Write the catalogs of messages.")
    parser.add_argument("language", nargs="?", help="a language to begin, as Django names its folder: de, pt_BR")
    asked = parser.parse_args(arguments).language
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kb.settings")
    django.setup()
    made = template()
    _put(locale / "en", "django.po", written(made).encode())
    if asked and not (locale / asked).exists():
        empty = Catalog(locale=asked, project="Faultbook", fuzzy=False, header_comment="# Messages of Faultbook.")
        _put(locale / asked, "django.po", written(empty).encode())
    for path in sorted(locale.glob("*/LC_MESSAGES/django.po")):
        language = path.parent.parent.name
        if language == "en":
            continue
        catalog = updated(path.read_text(encoding="utf-8"), language, made)
        _put(locale / language, "django.po", written(catalog).encode())
        _put(locale / language, "django.mo", compiled(catalog))
        left = sum(1 for message in catalog if message.id and (not _whole(message.string) or message.fuzzy))
        print(f"{language}: {len(catalog) - left:,} of {len(catalog):,} messages translated")  # noqa: T201
    return 0


def _whole(string: str | tuple[str, ...] | list[str]) -> bool:
    return all(string) if isinstance(string, (list, tuple)) else bool(string)


def _put(folder: Path, name: str, content: bytes) -> None:
    path = folder / "LC_MESSAGES" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
