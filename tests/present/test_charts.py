"""Numbers as charts: what is drawn agrees with what is counted."""

from __future__ import annotations

import re

import pytest

from kb.present.charts import Mark, Value, bars, line, strip


def values(*counts: int) -> list[Value]:
    return [Value(label=str(place), count=count) for place, count in enumerate(counts)]


def test_the_longest_bar_fills_the_room_and_no_count_is_invisible():
    chart = bars("Severity", values(20_000, 10_000, 1, 0))
    assert [bar.width for bar in chart.bars] == ["100", "50", "1.5", "0"]
    assert chart.rest == 0


def test_what_has_none_of_the_values_is_counted():
    assert bars("Class", values(3, 2), total=9).rest == 4
    assert bars("Tag", values(8, 7), total=9).rest == 0
    assert bars("Class", []).bars == ()


@pytest.mark.parametrize("counts", [(5,), (1, 1, 2), (100_000, 1, 1), (0, 3, 0)])
def test_the_parts_of_a_strip_follow_each_other_and_fill_it(counts):
    parts = strip(values(*counts)).parts
    assert [part.value.count for part in parts] == [count for count in counts if count]
    end = 0.0
    for part in parts:
        assert float(part.start) == pytest.approx(end, abs=0.11)
        assert float(part.width) >= 1.4
        end = float(part.start) + float(part.width)
    assert end == pytest.approx(100, abs=0.2)


def test_a_strip_beside_a_larger_one_is_shorter():
    assert strip(values(10, 10), most=80).scale == "25"
    assert strip([]).parts == ()


def test_a_line_holds_each_number_until_the_next_from_nothing_to_the_most():
    chart = line("Records", [Mark(label="1", count=0), Mark(label="2", count=50), Mark(label="3", count=100)])
    assert chart is not None
    assert chart.stroke == "M0 78H200V40H400V2H600"
    assert chart.area == chart.stroke + "V80H0Z"
    assert (chart.first.count, chart.last.count) == (0, 100)
    assert all(0 <= float(number) <= 600 for number in re.findall(r"[\d.]+", chart.area))


@pytest.mark.parametrize("counts", [(), (7,), (7, 7, 7)])
def test_a_line_that_would_say_nothing_is_not_drawn(counts):
    assert line("Records", [Mark(label="", count=count) for count in counts]) is None
