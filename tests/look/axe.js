// The violations that axe, which stands in front of this, finds.
async (options) => {
  "use strict";
  const { violations } = await axe.run({ ...options, resultTypes: ["violations"] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 4).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}
