"""A record as Markdown: everything it holds, and nothing that it could forge."""

from __future__ import annotations

import json

import msgspec
import pytest

from kb.present.record_markdown import record_markdown, rows_markdown

BASE = "https://kb.example"
CLOSED_SETS = {"error_type", "severity", "handling_strategy"}
HEADINGS = (
    "# metadata of {req_id} not ready after %d ms",
    "## Message",
    "## What it means",
    "## How to fix it",
    "## Where it is raised",
    "## Example fix",
    "## Catch it",
    "## Validate before",
    "## Guard the type",
    "## What triggers it",
    "## When it commonly happens",
    "## How to prevent it",
    "## Tags",
    "## Where this comes from",
    "## All details",
    "## Further fields",
    "## Weak points of this record",
    "## Links",
)


def test_the_document_is_whole_and_in_order(record, view_of, audit_markdown) -> None:
    said = audit_markdown(record_markdown(view_of(record, findings=("thin_text",)), base_url=BASE))
    assert said.headings == HEADINGS


def test_every_field_of_the_record_is_in_the_document(record, view_of, audit_markdown) -> None:
    said = audit_markdown(record_markdown(view_of(record), base_url=BASE))
    words = " ".join(said.text.split())
    for name, value in msgspec.structs.asdict(record).items():
        if name in {"absent", "extra", "documentation", "solutions", "common_situations"}:
            continue
        for text in value if isinstance(value, tuple) else [value]:
            assert " ".join(str(text).split()) in words, name
    for text in ("The worker waited on meta.wait(req_id) for metadata.", "wait(timeout=30)", "see its guide."):
        assert text in words
    assert json.loads(said.blocks[-1]) == record.extra


def test_code_is_fenced_in_the_record_s_language(record, view_of, audit_markdown) -> None:
    document = record_markdown(view_of(record), base_url=BASE)
    assert f"```python\n{record.source_code}```" in document
    assert record.try_catch_pattern + "\n" in audit_markdown(document).blocks


@pytest.mark.parametrize("inside", ["```", "````\n```", "`" * 50])
def test_a_fence_is_longer_than_any_inside(record, view_of, audit_markdown, inside) -> None:
    fenced = msgspec.structs.replace(record, source_code=f"a\n{inside}\n# forged\n")
    said = audit_markdown(record_markdown(view_of(fenced), base_url=BASE))
    assert f"a\n{inside}\n# forged\n" in said.blocks
    assert "# forged" not in said.headings


def test_links_begin_with_the_base_address(record, view_of, audit_markdown) -> None:
    for base in (BASE, ""):
        links = audit_markdown(record_markdown(view_of(record), base_url=base)).links
        ours = [link for link in links if not link.startswith(("https://github.com/", "https://docs.example.org/"))]
        assert all(link.startswith(f"{base}/") for link in ours)
        assert f"{base}/e/{record.id}/" in ours
        assert f"{base}/errors/example-org/data.worker/encode-metadata-not-ready/" in ours
        assert f"{base}/families/upstream-timeout/" in ours


def test_absent_fields_leave_no_holes(bare_record, view_of, audit_markdown) -> None:
    document = record_markdown(view_of(bare_record), base_url=BASE)
    assert "None" not in document
    assert "\n\n\n" not in document
    assert [heading for heading in audit_markdown(document).headings if heading.startswith("## ")] == [
        "## Message",
        "## What it means",
        "## Where it is raised",
        "## What triggers it",
        "## When it commonly happens",
        "## Where this comes from",
        "## All details",
        "## Links",
    ]


def test_a_retired_record_says_so_and_links_no_slug(record, view_of, audit_markdown) -> None:
    said = audit_markdown(record_markdown(view_of(record, retired_revision=9, retired_reason="gone"), base_url=BASE))
    assert "This record is retired" in said.text
    assert "retired in revision 9: gone" in said.text
    assert not [link for link in said.links if link.endswith("not-ready/")]


def test_a_record_hostile_in_every_field_is_harmless(record, view_of, audit_markdown, hostile) -> None:
    changes = {}
    for name, value in msgspec.structs.asdict(record).items():
        if isinstance(value, str) and name not in CLOSED_SETS:
            changes[name] = hostile
        elif isinstance(value, tuple):
            changes[name] = (hostile, hostile)
    changes["extra"] = {hostile: [hostile]}
    view = view_of(
        msgspec.structs.replace(record, **changes), dataset=hostile, retired_revision=1, retired_reason=hostile
    )
    said = audit_markdown(record_markdown(view, base_url=BASE))
    assert said.headings[0].startswith("#")
    assert set(said.headings[1:]) <= {heading for heading in HEADINGS if heading.startswith("## ")}
    assert len(said.headings) == len(set(said.headings))


def test_a_list_names_each_record_with_its_link(record, view_of, audit_markdown) -> None:
    row = view_of(record).row
    made = rows_markdown("Records with `ERR`", [row, row], base_url=BASE)
    said = audit_markdown(made)
    assert said.links == (f"{BASE}/e/{record.id}/", f"{BASE}/e/{record.id}/")
    assert made.startswith("# Records with \\`ERR\\`\n\n- [metadata of")
    assert "example-org/data.worker · MetaError" in said.text
    assert "python/worker/encode runtime.py:1280" in said.text


def test_an_empty_list_says_so() -> None:
    assert rows_markdown("Nothing", [], base_url=BASE) == "# Nothing\n\nNo records.\n"


def test_a_list_of_hostile_records_is_harmless(record, view_of, audit_markdown, hostile) -> None:
    bad = msgspec.structs.replace(
        record, error_message=hostile, documentation=hostile, error_class=hostile, error_code=hostile, file_path=hostile
    )
    said = audit_markdown(rows_markdown(hostile, [view_of(bad).row], base_url=BASE))
    assert len(said.headings) == 1
    assert said.links[0] == f"{BASE}/e/{record.id}/"
