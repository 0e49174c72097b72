// What is wrong with the element that has the focus, as sentences. "" stands for the page itself.
async () => {
  "use strict";
  await new Promise(requestAnimationFrame); // the page scrolls to it first
  const element = document.activeElement;
  if (!element || element === document.body) return { name: "", problems: [] };
  const told = element.outerHTML.replace(/\s+/g, " ").slice(0, 140);
  const problems = [];
  const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
  const x = Math.min(Math.max(box.x + box.width / 2, 0), innerWidth - 1);
  const y = Math.min(Math.max(box.y + Math.min(box.height / 2, 40), 0), innerHeight - 1);
  if (box.width === 0 || box.bottom <= 0 || box.top >= innerHeight) problems.push(`has the focus out of sight: ${told}`);
  const top = document.elementFromPoint(x, y);
  if (top && !element.contains(top) && !top.contains(element)) problems.push(`has the focus behind another box: ${told}`);
  const marked = [element, element.parentElement, element.parentElement?.parentElement].filter(Boolean).some((one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || (one !== document.body && boxShadow !== "none");
  });
  if (!marked) problems.push(`does not show that it has the focus: ${told}`);
  return { name: told, problems };
}
