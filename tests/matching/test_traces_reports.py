"""Errors as tools, services and trackers print them: what stands around the message, and where it ends."""

from __future__ import annotations

import pytest

from kb.matching.reading.document import read
from kb.matching.shapes import Fault
from kb.matching.traces.class_names import is_class_name
from kb.matching.traces.parse import parse


def faults(text: str) -> tuple[Fault, ...]:
    return parse(read(text).lines)


@pytest.mark.parametrize(
    "after",
    [
        "##[error]Process completed with exit code 1.",
        "Error: Process completed with exit code 2.",
        "exit status 1",
        "make: *** [Makefile:3: all] Error 1",
        "Cleaning up project directory and file based variables\nERROR: Job failed: exit code 1",
        '#12 ERROR: process "/bin/sh -c it" did not complete successfully: exit code: 1',
        "shop/cart.py:12: GoneError",
        "worker-1 exited with code 1",
        "Traceback:",
    ],
)
def test_what_a_service_says_after_an_error_is_not_its_message(after: str) -> None:
    trace = 'Traceback (most recent call last):\n  File "/a/shop/cart.py", line 12, in buy\n    raise it\n'
    (fault,) = [fault for fault in faults(f"{trace}shop.GoneError: the cart is gone\n{after}") if fault.cls]
    assert fault.message == "the cart is gone"
    (fault,) = [fault for fault in faults(f"shop.GoneError: the cart is gone\n{after}") if fault.cls]
    assert fault.message == "the cart is gone"


@pytest.mark.parametrize(
    "prefix",
    [
        "ERROR 03-04 05:06:07 [core.py:700] ",
        "ERROR 03-04 05:06:07 core.py:145] ",
        "ERROR 2024-03-04 05:06:07,123 ",
        "2024-03-04 05:06:07 [core.py:12] ",
        "(Worker_0 pid=12) ERROR 03-04 05:06:07 [core.py:700] ",
    ],
)
def test_a_level_before_the_time_and_the_place_behind_it_are_a_prefix(prefix: str) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/a/shop/cart.py", line 12, in buy\n    raise it\nGoneError: gone'
    )
    (fault,) = faults("\n".join(prefix + line for line in trace.splitlines()))
    assert (fault.cls, fault.message, len(fault.frames)) == ("GoneError", "gone", 1)


@pytest.mark.parametrize("name", ["std::out_of_range", "std::bad_alloc", "std::invalid_argument"])
def test_the_errors_of_the_standard_library_are_classes(name: str) -> None:
    (fault,) = faults(f"{name}: it is too big")
    assert (fault.cls, fault.message) == (name, "it is too big")
    assert not is_class_name("vector::_M_range_check")


def test_a_bare_panic_has_no_language() -> None:
    (fault,) = faults("panic: it broke")
    assert (fault.message, fault.language) == ("it broke", "")
    assert faults("panic: it broke\nexit status 2")[0].language == "Go"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("/a/lib/python3.10/site-packages/shop/cart.py:86 in", "buy"),
        ("/a/lib/python3.10/site-packages/shop/cart.py:86", "in buy"),
        ("/a/lib/python3.10/site-packages/sh", "op/cart.py:86 in buy"),
    ],
)
def test_a_frame_that_was_too_long_for_its_box(first: str, second: str) -> None:
    width = 60
    inside = ["/a/main.py:3 in <module>", "", "  3 buy()", "", first, second, "", "\u2771  86 raise GoneError(", ""]
    rows = "\n".join(f"\u2502 {line:<{width}} \u2502" for line in inside)
    head = "\u256d" + " Traceback (most recent call last) ".center(width + 2, "\u2500") + "\u256e"
    foot = "\u2570" + "\u2500" * (width + 2) + "\u256f"
    (fault,) = faults(f"{head}\n{rows}\n{foot}\nGoneError: the cart is gone")
    nearest = fault.frames[0]
    assert (nearest.path, nearest.line, nearest.function) == (
        "/a/lib/python3.10/site-packages/shop/cart.py",
        86,
        "buy",
    )


@pytest.mark.parametrize(
    "text",
    [
        "  GoneError\n\n  The cart is gone.\n\n  at ~/v/shop/cart.py:86 in buy\n    \u2192 86\u2502     raise",
        "GoneError\nshop/cart.py in buy at line 86\nThe cart is gone.",
        "GoneError\nThe cart is gone.\n\nshop/cart.py in buy at line 86",
        "NothingLeft\nThe cart is gone.\n\nshop/cart.py in buy at line 86",
    ],
)
def test_class_message_and_place_on_lines_of_their_own(text: str) -> None:
    (fault,) = faults(text)
    assert fault.cls in {"GoneError", "NothingLeft"}
    assert fault.message == "The cart is gone."
    assert [(frame.path.endswith("shop/cart.py"), frame.line, frame.function) for frame in fault.frames] == [
        (True, 86, "buy")
    ]


def test_an_error_that_is_read_twice_is_told_once() -> None:
    text = (
        "    def test_a():\n>       buy()\n\ntest_a.py:3: \n_ _ _ _ _ _ _ _ _ _\n"
        "/v/shop/cart.py:86: in buy\n    raise GoneError(text)\nE   shop.GoneError: The cart is gone.\n\n"
        "/v/shop/cart.py:86: GoneError"
    )
    assert [(fault.cls, fault.message) for fault in faults(text)] == [("shop.GoneError", "The cart is gone.")]


def test_a_page_of_an_old_framework_has_its_frames_above_its_fields() -> None:
    (fault,) = faults(
        'Traceback:\nFile "/v/site-packages/shop/cart.py" in buy\n  86.     raise GoneError(text)\n'
        'File "/v/site-packages/shop/till.py" in pay\n  12.     buy()\n\n'
        "Exception Type: GoneError at /pay/\nException Value: The cart is gone."
    )
    assert (fault.cls, fault.message, fault.first) == ("GoneError", "The cart is gone.", 0)
    assert [(frame.line, frame.function) for frame in fault.frames] == [(12, "pay"), (86, "buy")]


def test_an_error_quoted_in_prose_ends_with_its_quote() -> None:
    text = "Since then I get `GoneError: the cart is gone` when I pay"
    (inner,) = [fault for fault in faults(text) if fault.relation == "wrapped"]
    assert (inner.cls, inner.message) == ("GoneError", "the cart is gone")
