// Comfort on top of pages that work without it: theme switch, copy buttons, the "/" key, the outline that follows.
(() => {
  "use strict";

  const root = document.documentElement;
  const choices = ["system", "light", "dark"];

  function currentTheme() {
    return root.dataset.theme ?? "system";
  }

  function remember(theme) {
    try {
      if (theme === "system") {
        localStorage.removeItem("theme");
      } else {
        localStorage.setItem("theme", theme);
      }
    } catch {
      // The choice then lasts for this page only.
    }
  }

  function setUpThemeSwitch() {
    const button = document.querySelector(".theme-switch");
    if (!button) return;
    const label = () => button.setAttribute("aria-label", `Theme: ${currentTheme()}`);
    button.addEventListener("click", () => {
      const next = choices[(choices.indexOf(currentTheme()) + 1) % choices.length];
      if (next === "system") {
        delete root.dataset.theme;
      } else {
        root.dataset.theme = next;
      }
      remember(next);
      label();
    });
    label();
    button.hidden = false;
  }

  function setUpSearchKey() {
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const box = document.querySelector("main input[name=q]") ?? document.querySelector("input[name=q]");
      if (!box) return;
      event.preventDefault();
      box.focus();
      box.select();
    });
    for (const hint of document.querySelectorAll(".site-search kbd")) hint.hidden = false;
  }

  function addCopyButton(block) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy no-print";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.textContent.replace(/\n+$/, "\n"));
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1600);
    });
    const frame = document.createElement("div");
    frame.className = "copy-frame";
    block.before(frame);
    frame.append(block, button);
  }

  function setUpCopyButtons() {
    if (!navigator.clipboard) return;
    for (const block of document.querySelectorAll("main pre:not(.rejections pre, .diff)")) addCopyButton(block);
  }

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

  // The menu and the outline of a phone close after use.
  function setUpFolds() {
    const menu = document.querySelector(".site-menu");
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu?.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    for (const fold of document.querySelectorAll("details.outline")) {
      fold.addEventListener("click", (event) => {
        if (event.target.closest("a")) fold.open = false;
      });
    }
  }

  setUpThemeSwitch();
  setUpSearchKey();
  setUpCopyButtons();
  setUpOutline();
  setUpFolds();
})();
