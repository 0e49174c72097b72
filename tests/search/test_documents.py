"""A record as a document."""

from __future__ import annotations

from kb.search import tuning
from kb.search.documents import document, filter_term, message_digest
from kb.search.schema import FACET_FIELDS, TEXT_FIELDS


def test_every_told_field_is_in_some_text_field(make_view):
    texts = {
        name: f"unique{number}"
        for number, name in enumerate(
            (
                "error_code",
                "error_message",
                "error_class",
                "file_path",
                "source_code",
                "documentation",
                "trigger_scenarios",
                "common_situations",
                "example_fix",
                "validation_code",
                "type_guard",
                "try_catch_pattern",
            )
        )
    }
    view = make_view(
        **texts, solutions=("uniqueS",), prevention_tips=("uniqueP",), tags=("uniquet",), background_tag="uniqueb"
    )
    fields = document(view)
    told = " ".join(value for name in TEXT_FIELDS for value in fields[name])
    for text in (*texts.values(), "uniqueS", "uniqueP", "uniquet", "uniqueb"):
        assert text in told


def test_fields_without_a_value_are_left_out(make_view):
    fields = document(make_view())
    assert {"code_label", "class", "strategy", "family", "tag", "names", "topic", "grams"}.isdisjoint(fields)
    assert set(FACET_FIELDS) & set(fields) == {"repository", "language", "severity", "type", "status", "path"}
    assert (fields["first"], "retired" in fields) == (1, False)
    assert document(make_view(retired=True))["retired"] == 2


def test_long_texts_are_cut_and_long_labels_offer_no_facet(make_view):
    fields = document(make_view(documentation="x " * 50_000, error_code="C" * 1000))
    assert len(fields["documentation"][0]) == tuning.INDEXED_CHARACTERS
    assert len(fields["show_documentation"]) == tuning.STORED_DOCUMENTATION_CHARACTERS
    assert "code_label" not in fields
    assert filter_term("code", "c" * 1000) in fields["filter"]
    assert all(len(term) < 400 for term in fields["filter"])


def test_messages_are_the_same_without_case_and_white_space():
    assert message_digest("Not  found\n") == message_digest("not found")
    assert message_digest("not found") != message_digest("found not")


def test_order_is_by_repository_slug_and_id(make_view):
    assert document(make_view(repo="Acme/Rocket", slug="s", id="0" * 16))["order"] == f"acme/rocket s {'0' * 16}"
