// Code blocks: long lines wrap when the reader wants it, here and on every later page; ranges of lines have addresses.
(() => {
  "use strict";

  const root = document.documentElement;
  const { recall, remember } = globalThis.faultbook;
  const blocks = [...document.querySelectorAll("main .hl")].filter((block) => block.querySelector(".hl-bar"));
  const tool = document.querySelector("template.code-tools");

  function setUpWrapping() {
    const switches = new Map();
    const shown = () => {
      const wrapped = "wrap" in root.dataset;
      for (const [pre, button] of switches) {
        button.setAttribute("aria-pressed", String(wrapped));
        button.hidden = !wrapped && pre.scrollWidth <= pre.clientWidth;
      }
    };
    for (const block of blocks) {
      const button = tool.content.firstElementChild.cloneNode(true);
      button.addEventListener("click", () => {
        const wrapped = root.toggleAttribute("data-wrap");
        remember("wrap", wrapped ? "yes" : undefined);
        shown();
        if (button.hidden) block.querySelector("pre").focus();
        button.scrollIntoView({ block: "nearest" });
      });
      block.querySelector(".hl-bar").prepend(button);
      switches.set(block.querySelector("pre"), button);
    }
    root.toggleAttribute("data-wrap", recall("wrap") === "yes");
    shown();
    new ResizeObserver(shown).observe(document.querySelector("main"));
  }

  // #source-L10-L20: the browser knows single lines, ranges are ours. Lines that are not there lead to the code.
  const RANGE = /^#(.+?-L)(\d+)(?:-L(\d+))?$/;

  function showRange(moving) {
    for (const line of document.querySelectorAll(".line.picked")) line.classList.remove("picked");
    const range = RANGE.exec(location.hash);
    if (!range || document.getElementById(location.hash.slice(1))) return;
    const [first, last] = [range[2], range[3] ?? range[2]].map(Number).sort((one, other) => one - other);
    const lines = [...document.querySelectorAll(".hl .line[id]")].filter((line) => line.id.startsWith(range[1]));
    const picked = lines.filter((line) => {
      const number = Number(line.id.slice(range[1].length));
      return number >= first && number <= last;
    });
    for (const line of picked) line.classList.add("picked");
    if (moving) (picked[0] ?? lines[0]?.closest(".hl"))?.scrollIntoView({ block: "center" });
  }

  const NUMBER = ".line > a[data-n]";

  // A click on a number, or Enter, with the shift key held reaches from the line in the address to that one.
  function extend(event) {
    const link = event.target.closest(NUMBER);
    const start = /^#(.+-L)(\d+)(?:-L\d+)?$/.exec(location.hash);
    if (!link || !event.shiftKey || !start || !link.hash.startsWith(`#${start[1]}`)) return;
    event.preventDefault();
    const ends = [Number(start[2]), Number(link.dataset.n)].sort((one, other) => one - other);
    history.replaceState(null, "", `#${start[1]}${ends[0]}-L${ends[1]}`);
    showRange(false);
  }

  // Tab reaches one number of a block; from there the arrows lead to those of the other lines.
  function toNextNumber(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const link = document.activeElement;
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !link.matches(NUMBER)) return;
    event.preventDefault();
    const links = [...link.closest("pre").querySelectorAll(NUMBER)];
    const next = links[links.indexOf(link) + step];
    if (!next) return;
    if (!next.hasAttribute("aria-label")) next.setAttribute("aria-label", next.dataset.n);
    next.removeAttribute("aria-hidden");
    next.tabIndex = 0;
    link.tabIndex = -1;
    next.focus();
  }

  if (blocks.length === 0) return;
  if (tool) setUpWrapping();
  document.addEventListener("click", extend);
  document.addEventListener("keydown", toNextNumber);
  addEventListener("hashchange", () => showRange(true));
  showRange(true);
})();
