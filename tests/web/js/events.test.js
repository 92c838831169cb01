import assert from "node:assert/strict";
import { test } from "node:test";
import { eventBands, eventRules } from "../../../static/js/charts/events.js";

const range = { start: 1000, end: 2000 };
const events = [
  { kind: "contention", start: 1100, end: 1200 },
  { kind: "contention", start: 1900, end: null },
  { kind: "maintenance", start: 900, end: 1050 },
  { kind: "incident", start: 1500, end: null },
  { kind: "incident", start: 500, end: null },
  { kind: "move", start: 1600, end: null },
];

test("a band without an end lasts to the end of the range", () => {
  assert.deepEqual(eventBands(events, range), [
    { state: "contention", start: 1100, end: 1200 },
    { state: "contention", start: 1900, end: 2000 },
    { state: "maintenance", start: 900, end: 1050 },
  ]);
});

test("a rule stands where something opened inside the range", () => {
  const rules = eventRules(events, range, (name) => name);
  assert.deepEqual(Object.keys(rules), ["incident1500", "move1600"]);
  assert.equal(rules.incident1500.borderColor, "state-breached");
});
