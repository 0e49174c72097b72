// Comfort for the box that errors are pasted into: it is sent by Ctrl+Enter, and the link to the Markdown opens its fold.
(() => {
  "use strict";

  const box = document.querySelector(".paste textarea");
  box?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    box.form.requestSubmit();
  });

  const fold = document.getElementById("markdown");
  const opener = document.querySelector('a[href="#markdown"]');
  opener?.addEventListener("click", () => {
    if (fold) fold.open = true;
  });
})();
