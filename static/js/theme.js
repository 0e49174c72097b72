// The reader's choice of theme, applied before the first paint. Kept on this device only.
(() => {
  "use strict";
  try {
    const choice = localStorage.getItem("theme");
    if (choice === "light" || choice === "dark") {
      document.documentElement.dataset.theme = choice;
    }
  } catch {
    // Storage may be forbidden; then the system's theme stays.
  }
})();
