// Turns the page into what a reader made of it: "rtl", "large" or "spaced"; "" turns it back.
(condition) => {
  "use strict";
  const root = document.documentElement;
  root.dir = condition === "rtl" ? "rtl" : "ltr";
  root.style.fontSize = condition === "large" ? "200%" : "";
  const spaced = new CSSStyleSheet();
  spaced.replaceSync(
    "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } " +
      "p { margin-block-end: 2em !important }",
  );
  document.adoptedStyleSheets = condition === "spaced" ? [spaced] : [];
};
