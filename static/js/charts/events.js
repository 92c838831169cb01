// What else happened, as bands and rules of a chart over time. Pure: no document, no clock.

/** Bands behind the lines: contention, maintenance and tests; one without an end lasts to the end of the range. */
export function eventBands(events, range) {
  return events
    .filter(({ kind }) => ["contention", "maintenance", "probe"].includes(kind))
    .map(({ kind, start, end }) => ({ state: kind, start, end: end ?? range.end }));
}

/** Upright rules: where an incident opened, where the disk moved. `colourOf(name)` gives a colour. */
export function eventRules(events, range, colourOf) {
  const rules = {};
  for (const { kind, start } of events) {
    if ((kind !== "incident" && kind !== "move") || start < range.start || start > range.end) continue;
    rules[`${kind}${start}`] = {
      type: "line", xMin: start, xMax: start, borderWidth: 1.5, drawTime: "beforeDatasetsDraw",
      borderColor: colourOf(kind === "incident" ? "state-breached" : "text-muted"),
      borderDash: kind === "incident" ? [] : [2, 3],
    };
  }
  return rules;
}
