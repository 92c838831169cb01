// Lines with holes, bands, ticks: run by `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  added, dragged, indexAt, latencyTop, lonely, points, quantile, rangeName, roundUp, rowOf, rowTicks, runs, stamp, stepName, timeTicks,
} from "../../../static/js/charts/series.js";

test("a gap stays a hole in the line, and zero stays zero", () => {
  assert.deepEqual(points([0, 60, 120], [4, null, 0], 60), [{ x: 30, y: 4 }, { x: 90, y: null }, { x: 150, y: 0 }]);
  assert.deepEqual(points([0], [undefined], 60), [{ x: 30, y: null }]);
});

test("a point between two holes gets a dot, others none", () => {
  assert.deepEqual(lonely([null, 3, null, 1, 2]), [0, 1.5, 0, 0, 0]);
  assert.deepEqual(lonely([5]), [1.5]);
});

test("a sum with an unknown part is unknown", () => {
  assert.deepEqual(added([1, null, 3], [1, 2, null]), [2, null, null]);
});

test("runs join neighbouring steps of one state and keep others apart", () => {
  const t = [0, 60, 120, 180, 300];
  const states = ["excused", "excused", "breached", "met", "breached"];
  assert.deepEqual(runs(t, states, 60, ["excused", "breached"]), [
    { state: "excused", start: 0, end: 120 },
    { state: "breached", start: 120, end: 180 },
    { state: "breached", start: 300, end: 360 },
  ]);
});

test("a moment is found in its step, and nowhere outside", () => {
  assert.equal(indexAt([600, 660], 60, 659), 0);
  assert.equal(indexAt([600, 660], 60, 660), 1);
  assert.equal(indexAt([600, 660], 60, 720), -1);
  assert.equal(indexAt([600, 660], 60, 599), -1);
  assert.equal(indexAt([], 60, 0), -1);
});

test("quantiles leave unknowns out and have none of nothing", () => {
  assert.equal(quantile([null, 3, 1, 2], 0.5), 2);
  assert.equal(quantile([1, 2, 3, 4], 1), 4);
  assert.equal(quantile([null], 0.5), null);
});

test("axes end at round figures, never below what they show", () => {
  assert.deepEqual([0.3, 7, 11, 23, 1050, 0].map(roundUp), [0.3, 8, 15, 25, 1500, 1]);
});

test("a few huge latencies do not flatten the promise, and are told", () => {
  const calm = Array(100).fill(4);
  const p99 = [...Array(97).fill(12), 900, 900, 900];
  const { top, highest } = latencyTop([calm, calm, p99], 15);
  assert.ok(top >= 15 * 1.25 && top <= 40, String(top));
  assert.equal(highest, 900);
  assert.ok(latencyTop([[30], [28], [40]], 15).top >= 40);
  assert.ok(latencyTop([[null], [null], [null]], 15).top > 15);
});

test("ticks of time are round in UTC and in a zone ahead of it, and not too many", () => {
  assert.deepEqual(timeTicks(90, 390, 5), { span: 60, ticks: [120, 180, 240, 300, 360] });
  const day = timeTicks(0, 86_400, 8, 5.5 * 3600);
  assert.equal(day.span, 10_800);
  for (const at of day.ticks) assert.equal((at + 5.5 * 3600) % day.span, 0);
  assert.ok(timeTicks(0, 30 * 86_400, 6).ticks.length <= 7);
});

test("a latency lies in its row by its logarithm", () => {
  const edges = [10, 12.5, 16, null];
  assert.equal(rowOf(edges, 10), 0);
  assert.ok(Math.abs(rowOf(edges, Math.sqrt(12.5 * 16)) - 1.5) < 1e-9);
  assert.equal(rowOf(edges, 9), null);
  assert.equal(rowOf(edges, 40), 2.5);
});

test("rows are labelled at 1, 2 and 5 only, and apart", () => {
  const edges = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8, 10, 12.5];
  assert.deepEqual(rowTicks(edges, 1).map(({ ms }) => ms), [1, 2, 5, 10]);
  assert.deepEqual(rowTicks(edges, 4).map(({ ms }) => ms), [1, 5]);
});

test("a drag becomes whole minutes, five at least, whichever way it went", () => {
  assert.deepEqual(dragged(3_605, 3_500), { start: 3_480, end: 3_780 });
  assert.deepEqual(dragged(0, 3_601), { start: 0, end: 3_660 });
});

test("spans and moments are named as the address has them", () => {
  assert.deepEqual([300, 3_600, 5_400, 86_400, 604_800].map(rangeName), ["5m", "1h", "90m", "24h", "7d"]);
  assert.deepEqual([60, 900, 10_800, 86_400].map(stepName), ["1 min", "15 min", "3 h", "1 d"]);
  assert.equal(stamp(1_795_266_300), "2026-11-21T13:05Z");
  assert.equal(stamp(1_795_266_301), "2026-11-21T13:05:01Z");
});
