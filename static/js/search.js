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
  let telling;
  let writeAddress = () => {}; // what waits until the results are painted: writing an address costs as much as an answer

  const asked = (search) => page.pathname + search;

  function typedSearch() {
    const fields = [...new FormData(form)].filter(([, value]) => value !== "");
    return fields.length > 0 ? `?${new URLSearchParams(fields)}` : "";
  }

  function ask(search, event) {
    box.value = new URLSearchParams(search).get("q") ?? "";
    const asking = htmx.ajax("GET", answers.pathname + search, { source: results, target: results, event });
    asking.catch(() => {}); // a failure is told below
  }

  // Words that are typed and not answered yet count for a filter that is chosen meanwhile.
  function withWords(link) {
    const search = new URLSearchParams(new URL(link.href).search);
    const answered = new URLSearchParams(shown).get("q") ?? "";
    const typed = box.value.trim();
    if (typed && typed !== answered.trim() && search.get("q") === (answered || null)) search.set("q", typed);
    return `?${search}`;
  }

  // An answer that is shown has its address; one that is typed over, or gone back from, gets none.
  function keepAddress({ chosen, back }, search) {
    writeAddress();
    if (back || search === shown) {
      settled ||= Boolean(chosen);
    } else {
      const write = chosen || settled ? "pushState" : "replaceState";
      settled = Boolean(chosen);
      writeAddress = () => {
        writeAddress = () => {};
        history[write](null, "", asked(search));
      };
      requestAnimationFrame(() => setTimeout(() => writeAddress()));
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
    writeAddress();
    const link = event.target.closest("a[data-live]");
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    ask(withWords(link), event);
  });

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.elt === form) {
      detail.path = answers.pathname + typedSearch();
      detail.parameters = {};
    }
    const cause = detail.triggeringEvent;
    const link = cause.type === "click" ? cause.target.closest("a") : null;
    detail.how = {
      search: new URL(detail.path, page).search,
      chosen: cause.type === "submit" || link !== null,
      back: cause.type === "popstate",
      link: link && [placeOf(link), link.firstElementChild?.textContent],
    };
  });

  // An answer to what is no longer in the box is dropped: the next one is on its way.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { how } = detail.requestConfig;
    if (detail.requestConfig.elt === form && how.search !== typedSearch()) detail.shouldSwap = false;
    const folds = [...results.querySelectorAll("details[open]")];
    how.open = new Set(folds.map((fold) => fold.id || fold.className));
    if (detail.shouldSwap) results.replaceChildren(); // at once: htmx says farewell to each of some hundred elements
  });

  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const { how } = detail.requestConfig;
    keepAddress(how, how.search);
    restore(how);
    if (document.activeElement.id !== "count") tell(); // else it is read out for having the focus
  });

  for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(failure, ({ detail }) => {
      const notice = document.getElementById("search-failed").content.cloneNode(true);
      notice.querySelector("a").href = asked(detail.requestConfig.how.search);
      results.querySelector(".search-failed")?.remove();
      results.prepend(notice);
    });
  }

  addEventListener("online", (event) => {
    const again = results.querySelector(".search-failed a");
    if (again) ask(new URL(again.href).search, event);
  });

  addEventListener("popstate", (event) => {
    writeAddress = () => {};
    if (location.search === shown) return;
    settled = true;
    ask(location.search, event);
  });
})();
