// What the reader chose to look at, applied before the first paint: the theme, and wrapped code. Kept on this device.
(() => {
  "use strict";
  try {
    const { dataset } = document.documentElement;
    const choice = localStorage.getItem("theme");
    if (choice === "light" || choice === "dark") dataset.theme = choice;
    if (localStorage.getItem("wrap") === "yes") dataset.wrap = "";
  } catch {
    // Storage may be forbidden; then the system's theme stays.
  }
})();
