// Lists of records by keyboard: the arrows move from record to record, Escape returns to the search box.
(() => {
  "use strict";

  const records = () => [...document.querySelectorAll(".records .record-title a")];
  const searchBox = () => document.querySelector("main input[type=search]") ?? document.querySelector("input[name=q]");

  function next(from, step) {
    const links = records();
    const place = links.indexOf(from);
    if (place < 0) return step > 0 ? links[0] : undefined;
    return place + step < 0 ? searchBox() : links[place + step];
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const from = document.activeElement;
    const listed = from.closest(".records")?.contains(from) ?? false;
    const before = from.id === "count" || (from === searchBox() && from.closest("main") !== null);
    if (event.key === "Escape" && listed) {
      event.preventDefault();
      searchBox()?.focus();
    } else if ((listed || before) && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const link = before || from.matches("a") ? from : from.closest("li")?.querySelector(".record-title a");
      const to = next(link, event.key === "ArrowDown" ? 1 : -1);
      if (!to) return;
      event.preventDefault();
      to.focus();
    }
  });
})();
