// Results as you type. htmx asks and puts the answer in place; here the address is kept true, and what was open stays so.
(() => {
  "use strict";

  const form = document.getElementById("search");
  const box = form.elements.q;
  const results = document.getElementById("results");
  const said = document.getElementById("said");
  const page = new URL(form.action);
  const answers = new URL(form.getAttribute("hx-get"), page);
  let shown = location.search; // what the results answer
  let settled = true; // whether somebody chose this address, rather than passed by it while typing
  let kept = {};
  let telling;

  const asked = (search) => page.pathname + search;

  function typedSearch() {
    const fields = [...new FormData(form)].filter(([, value]) => value !== "");
    return fields.length > 0 ? `?${new URLSearchParams(fields)}` : "";
  }

  function ask(search, how) {
    kept = how;
    htmx.ajax("GET", answers.pathname + search, { source: results, target: results });
  }

  // An answer that is shown has its address; one that is typed over, or gone back from, gets none.
  function keepAddress({ chosen, back }, search) {
    if (back || search === shown) {
      settled ||= Boolean(chosen);
    } else {
      history[chosen || settled ? "pushState" : "replaceState"](null, "", asked(search));
      settled = Boolean(chosen);
    }
    shown = search;
  }

  function restore({ open, link }) {
    for (const fold of results.querySelectorAll("details")) {
      if (open.has(fold.id || fold.className)) fold.open = true;
    }
    if (!link || document.activeElement !== document.body) return;
    const [list, text] = link;
    const same = [...results.querySelectorAll("a[data-live]")].find(
      (entry) => placeOf(entry) === list && entry.firstElementChild?.textContent === text,
    );
    (same ?? document.getElementById("count"))?.focus({ preventScroll: true });
  }

  function placeOf(link) {
    return link.closest("section")?.getAttribute("aria-labelledby");
  }

  function tell() {
    clearTimeout(telling);
    telling = setTimeout(() => {
      said.textContent = document.getElementById("count").textContent.trim();
    }, 600);
  }

  results.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-live]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const search = new URL(link.href).search;
    if ("words" in link.dataset) box.value = new URLSearchParams(search).get("q") ?? "";
    ask(search, { chosen: true, link: [placeOf(link), link.firstElementChild?.textContent] });
  });

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.elt === form) {
      const search = typedSearch();
      kept = { chosen: detail.triggeringEvent?.type === "submit" };
      detail.path = answers.pathname + search;
      detail.parameters = {};
    }
    detail.how = { ...kept, search: new URL(detail.path, page).search };
    kept = {};
  });

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const folds = [...results.querySelectorAll("details[open]")];
    detail.requestConfig.how.open = new Set(folds.map((fold) => fold.id || fold.className));
  });

  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const { how } = detail.requestConfig;
    keepAddress(how, how.search);
    restore(how);
    tell();
  });

  for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(failure, ({ detail }) => {
      const notice = document.getElementById("search-failed").content.cloneNode(true);
      notice.querySelector("a").href = asked(detail.requestConfig.how.search);
      results.querySelector(".search-failed")?.remove();
      results.prepend(notice);
    });
  }

  addEventListener("popstate", () => {
    if (location.search === shown) return;
    box.value = new URLSearchParams(location.search).get("q") ?? "";
    settled = true;
    ask(location.search, { back: true });
  });
})();
