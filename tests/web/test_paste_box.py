"""The paste box: what it recognizes is told by the server, and what is secret does not leave the browser.

Tests without the fixture ``site`` have no database, so that none can be asked.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from django.test import Client

from kb.matching.tuning import MAX_TEXT
from kb.web.recognition import recognized
from tests.web.page_checks import Outline, assert_anonymous

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

Send = Callable[..., Any]
PATH = "/explain/recognized/"
SECRET = "hunter2-not-for-logs"
TRACE = """Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/src/engine.py", line 12, in burn
    raise FuelError(tank)
FuelError: first-stage has no fuel in <b>left</b>

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/launch.py", line 3, in main
    raise Grounded("no start") from error
Grounded: no start
"""


@pytest.fixture
def send() -> Send:
    """``send(text, **fields)``; the body of the answer, decoded, is in ``.text_body``."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)

    def sent(text: str, **fields: str) -> Any:
        response: Any = client.post(PATH, {"text": text, **fields})
        response.text_body = response.content.decode()
        return response

    return sent


def _plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


# --- what the server tells --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TRACE, "Python FuelError 2 frames root cause of 2 errors first-stage has no fuel in &lt;b&gt;left&lt;/b&gt;"),
        ("error[E0382]: borrow of moved value: `x`", "Rust E0382 borrow of moved value: `x`"),
        ("timeout of 5000ms exceeded", "Plain text: looked up by words timeout of 5000ms exceeded"),
        ("java.io.IOException: disk full\n\tat a.b.D.write(D.java:9)", "Java java.io.IOException 1 frame disk full"),
        ("ValueError: one\n\nKeyError: two", "KeyError 2 errors, this one last two"),
        ("", ""),
        (" \n\t\n", ""),
        ("\0", ""),
    ],
)
def test_what_a_text_shows_of_itself_is_told(send: Send, text: str, told: str) -> None:
    response = send(text)
    assert response.status_code == 200
    assert _plain(response.text_body) == told
    assert Outline(response.text_body).open == []
    assert response["Cache-Control"] == "no-store"
    assert_anonymous(response)


def test_a_cut_trace_asks_for_its_end(send: Send) -> None:
    cut = TRACE[: TRACE.index("FuelError: ")]
    assert "The message is missing" in send(cut).text_body


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"hidden": "1"}, "1 secret hidden before sending."),
        ({"hidden": "1200"}, "1,200 secrets hidden before sending."),
        ({"hidden": "2", "cut": "1"}, "2 secrets hidden before sending. Longer than 256 KiB: the last part is sent."),
        ({"hidden": "0", "cut": "0"}, None),
        ({"hidden": "-1", "cut": "<b>"}, None),
        ({"hidden": "9" * 400}, None),
        ({"hidden": "٣"}, None),
    ],
)
def test_what_the_browser_did_is_told(send: Send, fields: dict[str, str], told: str | None) -> None:
    text = send("timeout", **fields).text_body
    notes = re.findall(r'<p class="paste-notes">(.*?)</p>', text, re.DOTALL)
    assert [" ".join(note.split()) for note in notes] == ([told] if told else [])


def test_a_message_is_short_and_without_secrets() -> None:
    found = recognized(f"ValueError: cannot log in with password={SECRET} {'x ' * 400}")
    assert found
    assert SECRET not in found.message
    assert "‹password›" in found.message
    assert len(found.message) <= 240


def test_other_methods_are_refused() -> None:
    response = Client().get(PATH)
    assert response.status_code == 405
    assert response["Allow"] == "POST"


def test_a_text_that_is_too_long_is_refused(send: Send) -> None:
    assert send("x" * MAX_TEXT).status_code == 200
    assert send("x" * (MAX_TEXT + 1)).status_code == 413


@pytest.mark.parametrize("failing", [False, True])
def test_nothing_of_a_text_is_logged(
    send: Send, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, failing: bool
) -> None:
    def fail(text: str) -> None:
        raise ValueError(text)

    if failing:
        monkeypatch.setattr("kb.web.views.recognizing.recognized", fail)
    caplog.set_level(logging.DEBUG)
    response = send(f"FuelError: {SECRET}")
    assert response.status_code == (500 if failing else 200)
    formatter = logging.Formatter()
    logged = "\n".join(formatter.format(entry) for entry in caplog.records)
    assert SECRET not in logged
    assert ("RecognitionFailed: ValueError" in logged) is failing


# --- the box in a browser ---------------------------------------------------------------------------------------------


@pytest.fixture
def sent(page: Page) -> list[dict[str, list[str]]]:
    """The fields of every form and question that leaves the browser."""
    bodies: list[dict[str, list[str]]] = []

    def note(request: Request) -> None:
        assert SECRET not in request.url + (request.post_data or "")
        if request.method == "POST":
            bodies.append(parse_qs(request.post_data or "", keep_blank_values=True))

    page.on("request", note)
    return bodies


def _drop(page: Page, script: str, name: str = "server.log") -> None:
    """Drop a file whose parts ``script`` gives, beside the box: the whole page takes it."""
    page.evaluate(
        """([script, name]) => {
          const held = new DataTransfer();
          held.items.add(new File(eval(script), name));
          const at = (kind) => document.body.dispatchEvent(
            new DragEvent(kind, { dataTransfer: held, bubbles: true, cancelable: true }));
          at("dragover");
          at("drop");
        }""",
        [script, name],
    )


def test_the_box_tells_what_it_recognizes_and_hides_secrets(site: str, page: Page, sent: list[Any]) -> None:
    page.goto(f"{site}/")
    box, told, notes = page.locator(".paste textarea"), page.locator(".paste-told"), page.locator(".paste-notes")
    assert "What is recognized shows here." in told.inner_text()
    bar = page.locator(".paste-bar").bounding_box()
    promise = page.locator(".paste-promise").bounding_box()
    box.press_sequentially("ValueError: no")
    told.get_by_text("ValueError").wait_for()
    assert page.locator(".paste-bar").bounding_box() == bar
    assert page.locator(".paste-promise").bounding_box() == promise
    box.fill(f"{TRACE}password={SECRET}\n")
    told.get_by_text("root cause of 2 errors").wait_for()
    assert notes.inner_text() == "1 secret hidden before sending."
    box.fill("")
    told.get_by_text("What is recognized shows here.").wait_for()
    assert "Secrets are hidden in your browser" in notes.inner_text()
    box.fill(f"{TRACE}password={SECRET}\n")
    box.press("Control+Enter")
    page.get_by_role("heading", name="2 errors in this text").wait_for()
    assert [sent[-1][name] for name in ("hidden",)] == [["1"]]
    assert sent[-1]["text"][0].replace("\r\n", "\n") == f"{TRACE}password=‹password›\n"
    assert len(sent) <= 6  # not one for every key


def test_a_log_is_taken_by_drop_and_by_choice(site: str, page: Page, sent: list[Any], tmp_path: Path) -> None:
    page.goto(f"{site}/")
    box, told = page.locator(".paste textarea"), page.locator(".paste-told")
    box.fill("ValueError: no")
    _drop(page, "['\\u0000\\u0001\\u0002'.repeat(99)]")  # while the answer to what was typed is on its way
    told.get_by_text("This file holds no text.").wait_for()
    page.wait_for_timeout(500)
    assert "This file holds no text." in told.inner_text()
    assert box.input_value() == "ValueError: no"
    _drop(page, "[new Uint8Array([0xff, 0xfe]), new Uint16Array([...'KeyError: wide'].map((c) => c.charCodeAt(0)))]")
    told.get_by_text("wide").wait_for()
    assert box.input_value() == "KeyError: wide"
    log = tmp_path / "long.log"
    log.write_text(
        f"password={SECRET} is at the start\n" + "request é took 12 ms\n" * 20_000 + f"token={SECRET}\n" + TRACE
    )
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(log)
    told.get_by_text("FuelError").wait_for()
    notes = page.locator(".paste-notes").inner_text()
    assert notes == "1 secret hidden before sending. Longer than 256 KiB: the last part is sent."
    assert all(len(body["text"][0].encode()) <= 64 * 1024 for body in sent)
    page.get_by_role("button", name="Explain").click()
    page.get_by_role("heading", name="2 errors in this text").wait_for()
    text = sent[-1]["text"][0].replace("\r\n", "\n")
    assert MAX_TEXT - 100 < len(text.encode()) <= MAX_TEXT
    assert text.startswith("request é took 12 ms\n")
    assert text.endswith(f"\ntoken=‹token›\n{TRACE}")
    assert page.get_by_text("the last part of a longer text").is_visible()


def test_a_server_that_does_not_answer_leaves_the_box_as_it_was(site: str, page: Page, sent: list[Any]) -> None:
    page.goto(f"{site}/")
    box, told = page.locator(".paste textarea"), page.locator(".paste-told")
    box.fill("ValueError: no")
    told.get_by_text("ValueError").wait_for()
    page.route(f"**{PATH}", lambda route: route.abort())
    box.fill(f"KeyError: no password={SECRET}")
    told.get_by_text("What is recognized shows here.").wait_for()
    page.unroute(f"**{PATH}")
    page.route("**/explain/", lambda _: None)  # a send that takes long
    page.evaluate(
        """new MutationObserver(() => console.log(document.querySelector(".paste-told").innerText))
          .observe(document.querySelector(".paste-told"), { childList: true })"""
    )
    with page.expect_console_message(lambda entry: "Looking it up" in entry.text):
        page.evaluate("document.querySelector('.paste').requestSubmit()")
    assert sent


def test_without_a_network_the_text_stays(site: str, page: Page, sent: list[Any]) -> None:
    page.goto(f"{site}/")
    box, told = page.locator(".paste textarea"), page.locator(".paste-told")
    page.context.set_offline(True)
    box.fill("ValueError: no")
    told.get_by_text("There is no connection.").wait_for()
    page.get_by_role("button", name="Explain").click()
    with page.expect_request("**/explain/recognized/"):  # asked whether the server is on this machine
        page.get_by_role("button", name="Explain").click()
    told.get_by_text("There is no connection.").wait_for()
    assert box.input_value() == "ValueError: no"
    page.context.set_offline(False)
    told.get_by_text("ValueError").wait_for()
    page.evaluate("Object.defineProperty(navigator, 'onLine', { get: () => false })")  # and the server answers
    page.get_by_role("button", name="Explain").click()
    page.get_by_role("heading", name="No record fits").wait_for()
    assert sent[-1]["text"] == ["ValueError: no"]


def test_a_phone_shows_box_and_button_at_once_and_the_box_stays_on_the_screen(site: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{site}/")
    button = page.get_by_role("button", name="Explain").bounding_box()
    assert button
    assert button["y"] + button["height"] <= 640
    sizes = """[...document.querySelectorAll('[type=search], textarea')]
      .map((field) => parseFloat(getComputedStyle(field).fontSize))"""
    assert min(page.evaluate(sizes)) >= 16  # phones enlarge the page for smaller letters
    page.locator(".paste textarea").fill(TRACE * 9)
    page.get_by_role("button", name="Explain").scroll_into_view_if_needed()
    low, high = page.get_by_role("button", name="Explain").bounding_box(), page.locator(".paste").bounding_box()
    assert low
    assert high
    assert high["height"] < 640
    context.close()
