"""From a key to painted results, in Chromium: ``python -m benchmarks.keystrokes ADDRESS`` of a running server.

Types searches as a person does, waits for each answer, and takes the time from the key's event to the end of the frame
that shows the results. Beside it stands what the server took for the same answers, since the machine may be busy with
other things: the ratio of the two says what the browser, the network and the pause for further keys add.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.measuring import markdown_table, percentile

__all__ = ["Keystroke", "keystrokes", "main"]

TEXTS = (
    "connection refused",
    "timeout exceeded",
    "invalid argument",
    "NullPointerException",
    "cannot read property",
    "file not found",
    "permission denied",
    "ValueError: unsupported",
)
CHROMIUM = "/usr/bin/chromium"
ANSWERED = """() => window.strokes.map(([painted, address]) => {
  const entry = performance.getEntriesByName(address).at(-1);
  return [painted, entry.responseStart - entry.requestStart];
})"""
# The frame after the swap is painted when a message posted in its animation frame arrives.
WATCH = """() => {
  window.strokes = [];
  performance.setResourceTimingBufferSize(5_000);
  let pressed = 0;
  document.getElementById("q").addEventListener("input", (event) => { pressed = event.timeStamp; });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const started = pressed;
    const address = new URL(detail.xhr.responseURL).href;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        window.strokes.push([performance.now() - started, address]);
      };
      channel.port2.postMessage(0);
    });
  });
}"""


@dataclass(frozen=True, kw_only=True)
class Keystroke:
    """Milliseconds from the key to the painted results, and those until the server's answer began to arrive."""

    painted: float
    answered: float


def keystrokes(address: str, texts: Sequence[str] = TEXTS, *, pause: int = 120) -> Iterator[Keystroke]:
    """Type each text into the search of a server, a key every ``pause`` milliseconds after the last one was painted."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address.rstrip('/')}/search/")
        page.evaluate(WATCH)
        for text in texts:
            page.locator("#q").fill("")
            page.wait_for_timeout(1_000)
            page.evaluate("window.strokes.length = 0")
            for count, letter in enumerate(text, start=1):
                page.keyboard.type(letter)
                page.wait_for_function("count => window.strokes.length >= count", arg=count)
                page.wait_for_timeout(pause)
            for painted, answered in page.evaluate(ANSWERED):
                yield Keystroke(painted=painted, answered=answered)
        browser.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure twice, and print what the second round took: the first one opens files and fills caches."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.keystrokes", description=__doc__)
    parser.add_argument("address", help="such as http://127.0.0.1:8000")
    address = parser.parse_args(arguments).address
    rows: list[tuple[str, ...]] = []
    strokes: list[Keystroke] = []
    for name in ("first round", "second round"):
        strokes = list(keystrokes(address))
        painted = [stroke.painted for stroke in strokes]
        answered = [stroke.answered for stroke in strokes]
        for what, values in (("key to painted results", painted), ("the server's part", answered)):
            rows.append((f"{name}: {what}", *(f"{value:.0f}" for value in _spread(values))))
        ratio = statistics.median(painted) / statistics.median(answered)
        rows.append((f"{name}: ratio of the medians", f"{ratio:.1f}", "", ""))
    print(markdown_table((f"{len(strokes)} keys, milliseconds", "median", "p95", "largest"), rows))


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    return statistics.median(values), percentile(values, 0.95), max(values)


if __name__ == "__main__":
    main()
