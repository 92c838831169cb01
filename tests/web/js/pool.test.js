import assert from "node:assert/strict";
import { test } from "node:test";
import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(`
export async function resolve(name, context, next) {
  if (/^core\\/(words|format)/.test(name)) return next("${new URL("../../../static/js/", import.meta.url)}" + name, context);
  if (/^(charts|core|chart)/.test(name)) return { url: "data:text/javascript,export const Chart={register(){}};export const bands={},font=()=>({}),options=()=>({plugins:{}}),timeAxis=()=>({ticks:{}}),valueAxis=()=>({}),token=()=>'',soft=()=>'',MatrixController=0,MatrixElement=0;", shortCircuit: true };
  return next(name, context);
}`));
const { darkness, outlines } = await import("../../../static/js/charts/pool-heat.js");
const { figuresOf } = await import("../../../static/js/charts/multiples.js");

test("as usual is nearly nothing, four times slower is all", () => {
  assert.ok(darkness(1) < 0.1);
  assert.ok(darkness(1.3) < darkness(2) && darkness(2) < darkness(3.9));
  assert.equal(darkness(9), 1);
});

test("a window of the pool frames all rows, one of a disk its own, one of a disk not shown nothing", () => {
  const range = { start: 0, end: 100 };
  const disks = [{ id: 5 }, { id: 7 }];
  const windows = [{ disk: null, start: 10, end: 20 }, { disk: 7, start: 90, end: null }, { disk: 9, start: 1, end: 2 }, { disk: 5, start: 200, end: 300 }];
  assert.deepEqual(outlines(windows, disks, range), [{ x0: 10, x1: 20, y0: 0, y1: 2 }, { x0: 90, x1: 100, y0: 1, y1: 2 }]);
});

test("lag and score are said of suspects only", () => {
  assert.equal(figuresOf({ role: "suspect", times: 2.04, share: 0.381, lag_s: 60, score: 0.94 }), "×2.0 · 38 % of the load · rose 60 s before · score 0.94");
  assert.equal(figuresOf({ role: "victim", times: null, share: 0.02, lag_s: 60, score: 0.1 }), "2 % of the load");
  assert.equal(figuresOf({ role: "victim" }), "–");
});
