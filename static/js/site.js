// Comfort on top of pages that work without it: theme switch, keys, copy buttons, folds, the outline that follows.
// Words come from the page (data-* attributes and templates), so that they are translated where all others are.
(() => {
  "use strict";

  const root = document.documentElement;
  const told = document.getElementById("told");

  // Storage may be forbidden; a choice then lasts for the page.
  const kept = new Map();

  function recall(name) {
    try {
      return localStorage.getItem(name) ?? undefined;
    } catch {
      return kept.get(name);
    }
  }

  function remember(name, value) {
    kept.set(name, value);
    try {
      if (value === undefined) localStorage.removeItem(name);
      else localStorage.setItem(name, value);
    } catch {
      // See above.
    }
  }

  // Says something to those who listen; the same words twice are said twice.
  function tell(words) {
    told.textContent = "";
    setTimeout(() => {
      told.textContent = words;
    }, 50);
  }

  // Theme

  function setUpThemeSwitch() {
    const button = document.querySelector(".theme-switch");
    const choices = ["system", "light", "dark"];
    const current = () => root.dataset.theme ?? "system";
    const label = () => button.setAttribute("aria-label", button.dataset[current()]);
    button.addEventListener("click", () => {
      const next = choices[(choices.indexOf(current()) + 1) % choices.length];
      if (next === "system") delete root.dataset.theme;
      else root.dataset.theme = next;
      remember("theme", root.dataset.theme);
      label();
    });
    label();
  }

  // Keys: an action returns whether it did something. Those of one character can be switched off (WCAG 2.1.4).

  const keys = new Map([
    ["/", toSearchBox],
    ["?", showKeys],
  ]);

  // The box that shows the key; a page without that one has the search itself.
  function toSearchBox() {
    const box = document.querySelector(".site-search input") ?? document.querySelector("main input[name=q]");
    box?.focus();
    box?.select();
    return Boolean(box);
  }

  function showKeys() {
    let dialog = document.querySelector(".keys");
    if (!dialog) {
      document.body.append(document.getElementById("keys").content.cloneNode(true));
      dialog = document.querySelector(".keys");
      const box = dialog.querySelector("input");
      box.checked = recall("keys") !== "off";
      box.addEventListener("change", () => {
        remember("keys", box.checked ? undefined : "off");
        showHints();
      });
      dialog.addEventListener("click", (event) => {
        if (event.target === dialog) dialog.close(); // beside it
      });
    }
    dialog.showModal();
    return true;
  }

  function showHints() {
    for (const hint of document.querySelectorAll(".site-search kbd")) hint.hidden = recall("keys") === "off";
  }

  function setUpKeys() {
    document.addEventListener("keydown", (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.target.closest("input, textarea, select, [contenteditable], dialog")) return;
      if (event.key.length === 1 && recall("keys") === "off") return;
      if (keys.get(event.key)?.(event)) event.preventDefault();
    });
    showHints();
    document.querySelector("[data-keys]").addEventListener("click", showKeys);
  }

  // Copying: data-copy on a button or a link names what is copied; without a name it is the code beside it.

  async function copy(button, text) {
    let words = told.dataset.refused;
    try {
      await navigator.clipboard.writeText(text);
      words = button.dataset.copied ?? told.dataset.copied;
    } catch {
      // The reader, or a policy above this page, does not allow it.
    }
    tell(words);
    // Its name stays while its words change: those who listen hear of it once.
    if (!button.hasAttribute("aria-label")) button.setAttribute("aria-label", button.textContent);
    button.dataset.words ??= button.textContent;
    button.style.minWidth = `${button.offsetWidth}px`; // so that nothing beside it moves
    button.textContent = words;
    setTimeout(() => {
      button.textContent = button.dataset.words;
    }, 1600);
  }

  function addCopyButton(block) {
    const button = document.getElementById("copy-button").content.firstElementChild.cloneNode(true);
    const named = block.getAttribute("aria-label");
    if (named) button.setAttribute("aria-label", `${button.textContent}: ${named}`);
    const bar = block.closest(".hl")?.querySelector(".hl-bar");
    if (bar) {
      bar.append(button);
      return;
    }
    const frame = document.createElement("div");
    frame.className = "copy-frame";
    block.before(frame);
    frame.append(block, button);
  }

  function setUpCopyButtons() {
    if (!navigator.clipboard) return;
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-copy]");
      if (!button) return;
      const source = button.dataset.copy
        ? document.querySelector(button.dataset.copy)
        : button.closest(".hl, .copy-frame").querySelector("pre");
      if (!source) return;
      event.preventDefault();
      copy(button, source.textContent.replace(/\n+$/, "\n"));
    });
    for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
    for (const block of document.querySelectorAll("main pre:not(.rejections pre, .diff, .uncopied)")) {
      addCopyButton(block);
    }
  }

  // The outline marks the section that is read; the menu and the outline of a phone close after use.

  function setUpOutline() {
    const links = new Map();
    for (const link of document.querySelectorAll(".outline a[href^='#']")) links.set(link.hash.slice(1), link);
    if (links.size === 0) return;
    const visible = new Set();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) visible[entry.isIntersecting ? "add" : "delete"](entry.target.id);
        const first = [...links.keys()].find((id) => visible.has(id));
        if (first === undefined) return;
        for (const [id, link] of links) {
          if (id === first) link.setAttribute("aria-current", "true");
          else link.removeAttribute("aria-current");
        }
      },
      { rootMargin: "-5% 0px -60% 0px" },
    );
    for (const id of links.keys()) {
      const section = document.getElementById(id);
      if (section) observer.observe(section);
    }
  }

  function setUpFolds() {
    const menu = document.querySelector(".site-menu");
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    // It lies over the page, and must not over what has the focus.
    menu.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
    });
    document.addEventListener("click", (event) => {
      if (menu.open && !menu.contains(event.target)) menu.open = false;
      if (event.target.closest("details.outline a")) event.target.closest("details.outline").open = false;
    });
  }

  // What the scripts of single pages build on. They are deferred too, and come after this one.
  globalThis.faultbook = Object.freeze({ keys, recall, remember, tell });

  setUpThemeSwitch();
  setUpKeys();
  setUpCopyButtons();
  setUpOutline();
  setUpFolds();
})();
