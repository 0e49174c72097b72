// What is wrong with the page as it is laid out now, as sentences; [] when nothing is.
() => {
  "use strict";
  const problems = [];
  const root = document.documentElement;
  const told = (element) => element.outerHTML.replace(/\s+/g, " ").slice(0, 140);
  // Boxes that scroll by themselves, and the link that shows when it has the focus.
  const onPurpose = "pre, input, textarea, select, .skip";

  function scrolls(box) {
    const style = getComputedStyle(box);
    return /auto|scroll/.test(style.overflowX) || /auto|scroll/.test(style.overflowY);
  }

  function shortens(style) {
    return style.textOverflow !== "clip" || style.webkitLineClamp !== "none";
  }

  function inAScroller(element) {
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      if (scrolls(box)) return true;
    }
    return false;
  }

  function pageWidth() {
    const excess = root.scrollWidth - root.clientWidth;
    if (excess <= 0) return;
    const limit = root.clientWidth + 1;
    const wide = [...document.body.querySelectorAll("*")].filter((element) => {
      const box = element.getBoundingClientRect();
      return (box.right > limit || box.left < -1) && !inAScroller(element.parentElement);
    });
    problems.push(`the page is ${excess} px too wide: ${wide.slice(0, 3).map(told).join(" | ")}`);
  }

  // Text that is outside of a box that cuts, or outside of the page.
  function cutText() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const seen = new Set();
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;
      if (!node.data.trim() || seen.has(parent) || parent.closest(onPurpose) || !parent.checkVisibility()) continue;
      seen.add(parent);
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      if (text.width === 0) continue;
      const box = cutter(parent, text);
      if (box) problems.push(`text is cut off by ${box === root ? "the page" : told(box)}: ${told(parent)}`);
    }
  }

  function cutter(parent, text) {
    for (let box = parent; box && box !== root; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (scrolls(box)) return null;
      if (style.display === "inline" || !/hidden|clip/.test(style.overflowX + style.overflowY)) continue;
      if (shortens(style)) return null;
      const edge = box.getBoundingClientRect();
      if (edge.width <= 1 || edge.height <= 1) return null; // for screen readers alone
      const outside = text.right > edge.right + 2 || text.left < edge.left - 2;
      if (outside || text.bottom > edge.bottom + 2 || text.top < edge.top - 2) return box;
    }
    return text.right > root.clientWidth + 2 || text.left < -2 ? root : null;
  }

  function structure() {
    const headings = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((one) => one.checkVisibility());
    const first = headings.filter((heading) => heading.localName === "h1");
    if (first.length !== 1) problems.push(`${first.length} headings of the first level`);
    let level = 0;
    for (const heading of headings) {
      const next = Number(heading.localName[1]);
      if (next > level + 1) problems.push(`a heading of level ${next} after level ${level}: ${told(heading)}`);
      if (!heading.textContent.trim()) problems.push(`an empty heading: ${told(heading)}`);
      level = next;
    }
    if (document.querySelectorAll("main").length !== 1) problems.push("not one main part");
    if (!root.lang) problems.push("the language of the page is not told");
    for (const link of document.querySelectorAll("a[href^='#']")) {
      const id = decodeURIComponent(link.hash.slice(1));
      if (id && !document.getElementById(id)) problems.push(`a link to nothing: ${told(link)}`);
    }
    for (const element of document.querySelectorAll("[aria-controls], [aria-describedby], [aria-labelledby], [for]")) {
      for (const name of ["aria-controls", "aria-describedby", "aria-labelledby", "for"]) {
        for (const id of (element.getAttribute(name) ?? "").split(/\s+/).filter(Boolean)) {
          if (!document.getElementById(id)) problems.push(`${name} names nothing: ${told(element)}`);
        }
      }
    }
  }

  pageWidth();
  cutText();
  structure();
  return problems;
}
