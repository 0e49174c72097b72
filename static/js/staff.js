// Keeps the page of imports up to date: asks for its part again while the page is seen.
(() => {
  "use strict";

  const part = document.querySelector("[data-live]");
  const note = document.querySelector("[data-live-note]");
  if (!part || !note) return;
  const pause = 2000;

  async function refresh() {
    try {
      const response = await fetch(part.dataset.live, { credentials: "same-origin", redirect: "error" });
      if (!response.ok) throw new Error(String(response.status));
      const text = await response.text();
      if (text !== part.dataset.shown) {
        part.innerHTML = text;
        part.dataset.shown = text;
      }
      note.textContent = "This page follows by itself.";
    } catch {
      note.textContent = "The server does not answer at the moment; what is below may be old.";
    }
  }

  async function follow() {
    if (!document.hidden) await refresh();
    window.setTimeout(follow, pause);
  }

  follow();
})();
