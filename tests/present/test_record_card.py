"""Cards for terminals: short, narrow, and without a single control character."""

from __future__ import annotations

import msgspec
import pytest

from kb.present.invisible import visible_text
from kb.present.record_card import MOST_LINES, WIDTH, record_card, rows_card

BASE = "https://kb.example"


def check(card: str) -> list[str]:
    assert card == visible_text(card)
    assert card.endswith("\n")
    lines = card.removesuffix("\n").split("\n")
    assert len(lines) <= MOST_LINES
    assert all(len(line) <= WIDTH for line in lines), max(lines, key=len)
    assert all(line == line.rstrip() for line in lines)
    return lines


def test_a_card_says_what_matters_first(record, view_of) -> None:
    lines = check(record_card(view_of(record), base_url=BASE))
    assert lines[0] == "metadata of {req_id} not ready after %d ms"
    assert lines[1].startswith("example-org/data.worker · MetaError · ERR_NOT_READY · error")
    assert lines.index("What it means") < lines.index("How to fix it") < lines.index("Catch it")
    assert "  1. Retry the request" in lines
    assert "      retry()" in lines
    assert lines[-1] == f"{BASE}/e/{record.id}/"


def test_a_card_stays_short(record, view_of) -> None:
    long = msgspec.structs.replace(
        record,
        error_message="word " * 500,
        error_class="C" * 300,
        file_path="dir/" * 200,
        documentation="word " * 5000,
        solutions=("word " * 500,) * 50,
        try_catch_pattern="line\n" * 8,
    )
    lines = check(record_card(view_of(long, retired_revision=3, retired_reason="word " * 100), base_url=BASE))
    assert "     … and 45 more" in lines
    assert lines[-1] == f"{BASE}/e/{record.id}/"


@pytest.mark.parametrize("code", ["line\n" * 50, "x" * 500, "  \n"])
def test_code_that_does_not_fit_is_left_out_whole(record, view_of, code) -> None:
    assert "Catch it" not in record_card(view_of(msgspec.structs.replace(record, try_catch_pattern=code)), base_url="")


def test_absent_fields_leave_no_holes(bare_record, view_of) -> None:
    card = record_card(view_of(bare_record), base_url=BASE)
    check(card)
    assert "None" not in card
    assert "How to fix it" not in card


def test_hostile_records_make_harmless_cards(record, view_of, hostile) -> None:
    bad = msgspec.structs.replace(
        record,
        error_message=hostile,
        documentation=hostile,
        error_class=hostile,
        error_code=hostile,
        file_path=hostile,
        background_tag=hostile,
        solutions=(hostile,) * 9,
        try_catch_pattern=hostile,
    )
    check(record_card(view_of(bad, retired_revision=1, retired_reason=hostile), base_url=BASE))
    check(rows_card(hostile, [view_of(bad).row] * 30, base_url=BASE))


def test_a_list_is_cut_with_a_count(record, view_of) -> None:
    row = view_of(record).row
    lines = check(rows_card("15 records have this code", [row] * 15, base_url=BASE))
    assert lines[0] == "15 records have this code"
    assert lines[3] == f"  {BASE}/e/{record.id}/"
    assert lines[-1] == "… and 3 more"
    assert "more" not in check(rows_card("one", [row], base_url=BASE))[-1]
