"""The page of a record: everything it holds, in order, without holes, whatever it holds."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from django.utils.translation import override

from kb.present import record_parts as parts_module
from kb.present.cache import PartCache
from kb.present.record_page import record_page
from kb.present.record_parts import renderer_version
from kb.records.findings import FINDINGS

READERS_ORDER = [
    "meaning",
    "solutions",
    "source",
    "example-fix",
    "try-catch",
    "validation",
    "type-guard",
    "triggers",
    "situations",
    "prevention",
    "tags",
    "findings",
    "further",
    "details",
]
CLOSED_SETS = {"error_type", "severity", "handling_strategy"}


def whole(page) -> str:
    return "\n".join([page.title, page.facts_html, page.raised, *(section.html for section in page.sections)])


def test_sections_come_in_the_reader_s_order(record, view_of) -> None:
    page = record_page(view_of(record, findings=("thin_text",)))
    assert [section.id for section in page.sections] == READERS_ORDER
    assert [id for id, _ in page.outline] == READERS_ORDER
    assert [section.id for section in page.main] == READERS_ORDER[:10]
    assert [section.id for section in page.about] == READERS_ORDER[10:]
    assert len({title for _, title in page.outline}) == len(READERS_ORDER)


def test_every_field_of_the_record_is_on_the_page(record, view_of, audit) -> None:
    said = " ".join(audit(whole(record_page(view_of(record)))).text.split())
    plain = {"documentation", "solutions", "common_situations"}  # Markdown, looked at below
    for name, value in msgspec.structs.asdict(record).items():
        if name in plain | {"absent", "extra"}:
            continue
        for text in value if isinstance(value, tuple) else [value]:
            assert " ".join(str(text).split()) in said, name
    for text in ("The worker waited on meta.wait(req_id) for metadata.", "wait(timeout=30)", "see its guide."):
        assert text in said
    assert " ".join(json.dumps(record.extra, indent=2).split()) in said


def test_absent_fields_leave_no_holes(bare_record, view_of, audit) -> None:
    page = record_page(view_of(bare_record))
    expected = ["meaning", "source", "triggers", "situations", "details"]
    assert [section.id for section in page.sections] == expected
    assert [fact.name for fact in page.facts] == ["severity", "type", "language"]
    assert "None" not in whole(page)
    assert '<ul class="tags">' not in whole(page)
    audit(whole(page))


@pytest.mark.parametrize("blank", ["", "  ", "\n\n"])
def test_blank_texts_are_absent(record, view_of, blank) -> None:
    empty = msgspec.structs.replace(
        record, trigger_scenarios=blank, common_situations=blank, example_fix=blank, type_guard=blank, source_code=blank
    )
    page = record_page(view_of(empty))
    assert {"triggers", "situations", "example-fix", "type-guard"}.isdisjoint(id for id, _ in page.outline)
    assert "<pre" not in next(section.html for section in page.sections if section.id == "source")


def test_the_snippet_has_its_numbers_and_its_links(record, view_of, audit) -> None:
    source = next(section for section in record_page(view_of(record)).sections if section.id == "source")
    assert '<mark class="line hit" id="source-L1280"><a data-n="1280" href="#source-L1280"' in source.html
    assert audit(source.html).links == (record.github_url.replace("#L9", "#L1280"),)
    assert audit(source.html).ids == tuple(f"source-L{number}" for number in range(1277, 1281))


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        ("a\n  raise E(\n    'x',\n    code=1,\n  ) from e\nb", 2, "raise E('x', code=1,) from e"),
        ("a\n  raise E('x')\nb", 2, "raise E('x')"),
        ("throw f({\n  a: 1,\n});", 1, "throw f({a: 1,});"),
        ("throw f(" + "x" * 200, 1, "throw f(" + "x" * 152 + "…"),
        ("raise E(\n" + "1,\n" * 40, 1, "raise E(" + "1, " * 6 + "1,"),
        ("a\nb", 3, ""),
        ("a\nb", 0, ""),
        ("a\n\nb", 2, ""),
        ("\n" * 6_000, 2, ""),
    ],
)
def test_the_head_shows_what_is_raised_and_where(record, view_of, audit, code, line, expected) -> None:
    snippet = msgspec.structs.replace(record, source_code=code, source_code_start=1, line_number=line)
    page = record_page(view_of(snippet))
    assert audit(page.raised).text == f"{record.file_path}:{line}" + (f" {expected}" if expected else "")
    target = f"source-L{line}" if expected else "source"
    assert f'href="#{target}"' in page.raised
    if expected:
        assert f'id="{target}"' in whole(page)


def test_the_head_of_a_record_without_a_line_shows_its_file(bare_record, view_of, audit) -> None:
    page = record_page(view_of(bare_record))
    assert audit(page.raised).text == bare_record.file_path
    assert "raised-line" not in page.raised


def test_a_snippet_of_unknown_place_is_not_numbered(record, view_of) -> None:
    adrift = msgspec.structs.replace(record, source_code_start=None, source_code_end=None)
    assert 'class="line' not in whole(record_page(view_of(adrift)))


def test_the_commit_is_a_link_where_the_permalink_lies_in_its_repository(record, view_of) -> None:
    page = record_page(view_of(record))
    assert page.commit == "0132848"
    assert page.commit_url == f"https://github.com/{record.repo}/commit/{record.analyzed_sha}"
    assert record_page(view_of(msgspec.structs.replace(record, github_url="https://evil.example/"))).commit_url == ""


@pytest.mark.parametrize(
    "url", ["https://evil.example/x", "javascript:alert(1)", "http://github.com/a/b", "not a link"]
)
def test_a_foreign_permalink_is_shown_as_text(record, view_of, audit, url) -> None:
    page = record_page(view_of(msgspec.structs.replace(record, github_url=url)))
    said = audit(whole(page))
    assert url in said.text
    assert not [link for link in said.links if "evil" in link or "github" in link]


def test_a_code_wrapped_in_a_fence_is_shown_without_it(record, view_of) -> None:
    wrapped = msgspec.structs.replace(record, example_fix="```ts\nlet a\n```", type_guard="```\na\n```\nb\n```\nc\n```")
    sections = {section.id: section.html for section in record_page(view_of(wrapped)).sections}
    assert "```" not in sections["example-fix"]
    assert sections["type-guard"].count("```") == 4


def test_a_retired_record_says_when_why_and_what_came_after(record, view_of, audit) -> None:
    view = view_of(record, retired_revision=9, retired_reason="gone from its dataset", successor="00aa11bb22cc33dd")
    page = record_page(view)
    said = audit(whole(page))
    assert page.retired
    assert "retired in revision 9: gone from its dataset" in said.text
    assert "/e/00aa11bb22cc33dd/" in said.links
    assert not record_page(view_of(record)).retired


def test_findings_are_told_in_words(record, view_of, audit) -> None:
    page = record_page(view_of(record, findings=("no_solutions", "of_a_later_version")))
    said = audit(next(section.html for section in page.sections if section.id == "findings")).text
    assert FINDINGS["no_solutions"] in said
    assert "of_a_later_version" in said


def test_paths_are_those_of_the_record(record, view_of) -> None:
    page = record_page(view_of(record))
    assert page.path == "/errors/example-org/data.worker/encode-metadata-not-ready/"
    assert page.json_path == "/errors/example-org/data.worker/encode-metadata-not-ready.json"
    assert page.markdown_path == "/errors/example-org/data.worker/encode-metadata-not-ready.md"
    assert page.permanent_path == "/e/12c38bb1afed0ec1/"
    assert page.title_text == record.error_message


def test_a_retired_record_does_not_lead_to_the_heir_of_its_slug(record, view_of) -> None:
    page = record_page(view_of(record, retired_revision=9))
    assert page.path == page.permanent_path == page.markdown_path == "/e/12c38bb1afed0ec1/"
    assert page.json_path == "/api/v1/errors/12c38bb1afed0ec1/"


def hostile_record(record, text):
    """``record`` with ``text`` in every field that holds free text, and in its unknown fields."""
    changes = {}
    for name, value in msgspec.structs.asdict(record).items():
        if isinstance(value, str) and name not in CLOSED_SETS:
            changes[name] = text
        elif isinstance(value, tuple):
            changes[name] = (text, text)
    changes["extra"] = {text: [text, {text: text}]}
    return msgspec.structs.replace(record, **changes)


def test_a_record_hostile_in_every_field_is_harmless(record, view_of, audit, hostile) -> None:
    view = view_of(hostile_record(record, hostile), dataset=hostile, dataset_version=hostile, retired_reason=hostile)
    page = record_page(view)
    assert "\n" not in page.title_text
    assert len(page.title_text) <= 120
    audit(whole(page))


# --- the cache --------------------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path) -> PartCache:
    return PartCache(tmp_path, most_bytes=64 * 1024 * 1024)


@pytest.fixture
def renders(monkeypatch) -> list[str]:
    """The texts that were rendered as Markdown."""
    texts: list[str] = []
    original = parts_module.markdown_html

    def counted(text, *, language=None):
        texts.append(text)
        return original(text, language=language)

    monkeypatch.setattr(parts_module, "markdown_html", counted)
    return texts


def test_a_cached_page_is_the_same_and_renders_nothing(record, view_of, cache, renders) -> None:
    view = view_of(record)
    first = record_page(view, cache=cache)
    count = len(renders)
    assert count > 3
    assert record_page(view, cache=cache) == first == record_page(view)
    assert len(renders) == 2 * count  # the one without a cache


def test_the_catalog_s_facts_are_not_cached(record, view_of, cache) -> None:
    record_page(view_of(record), cache=cache)
    page = record_page(view_of(record, changed_revision=77, class_key="other-000000"), cache=cache)
    assert "77" in whole(page)
    assert "/classes/other-000000/" in whole(page)


def test_a_site_in_another_language_renders_anew(record, view_of, cache, renders) -> None:
    record_page(view_of(record), cache=cache)
    seen = len(renders)
    with override("de"):
        record_page(view_of(record), cache=cache)
    assert len(renders) == 2 * seen


def test_other_content_language_or_renderer_is_rendered_anew(record, view_of, cache, renders, monkeypatch) -> None:
    view = view_of(record)
    record_page(view, cache=cache)
    seen = len(renders)
    record_page(replace(view, content_hash="6" * 32), cache=cache)
    assert len(renders) == 2 * seen
    record_page(replace(view, row=replace(view.row, language="Go")), cache=cache)
    assert len(renders) == 3 * seen
    monkeypatch.setattr(parts_module, "renderer_version", lambda: "another")
    record_page(view, cache=cache)
    assert len(renders) == 4 * seen


@pytest.mark.parametrize("damage", [b"[]", b'{"meaning": 7}', b"{", b"\xff"])
def test_a_part_that_is_not_ours_is_rendered_anew(record, view_of, cache, damage, monkeypatch) -> None:
    view = view_of(record)
    expected = record_page(view)
    monkeypatch.setattr(cache, "get", lambda _: damage)
    assert record_page(view, cache=cache) == expected


def test_the_renderer_s_version_is_stable_within_one_installation() -> None:
    assert renderer_version() == renderer_version()
    assert len(renderer_version()) == 64


def test_the_renderer_s_version_names_every_file_that_makes_parts() -> None:
    """What ``record_parts`` imports from this package, directly or not, is in the digest."""
    here = Path(parts_module.__file__).parent
    known: set[str] = set()
    waiting = ["record_parts"]
    while waiting:
        name = waiting.pop()
        if name not in known:
            known.add(name)
            waiting += _imported_from_here(here / f"{name}.py")
    assert known - {"cache"} == set(parts_module._RENDERERS)


def _imported_from_here(file: Path) -> list[str]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return [module.removeprefix("kb.present.") for module in modules if module.startswith("kb.present.")]
