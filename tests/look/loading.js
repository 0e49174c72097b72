// How the page loaded: what moved, and which files were waited for before the first paint.
async () => {
  "use strict";
  const shifts = [];
  const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  shifts.push(...observer.takeRecords());
  observer.disconnect();
  // Less than this is a fraction of a pixel of something small, which nobody sees.
  const moved = shifts.filter((shift) => !shift.hadRecentInput && shift.value >= 0.0005);
  return {
    shifts: moved.map((shift) => `${shift.value.toFixed(4)} ${shift.sources.map((one) => one.node?.nodeName)}`),
    blocking: performance
      .getEntriesByType("resource")
      .filter((entry) => entry.renderBlockingStatus === "blocking")
      .map((entry) => new URL(entry.name).pathname),
  };
}
