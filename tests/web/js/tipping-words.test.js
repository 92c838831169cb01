// The sentence under the tipping point: a capacity is never rounded up, and what was not reached is said so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tippingWords } from "../../../static/js/charts/tipping-words.js";

const got = (knee, more = {}) => ({ points: [{ iops: 10 }], threshold_ms: 15, highest_iops: 812.9, knee: { mean_iops: null, p99_iops: null, ...knee }, ...more });

test("a knee is cut, not rounded up", () => {
  assert.match(tippingWords(got({ p99_iops: 999.9 })), /99th percentile crosses 15 ms at about 999 IOPS\.$/);
});
test("both knees are named", () => {
  assert.match(tippingWords(got({ p99_iops: 640, mean_iops: 1801.5 })), /about 640 IOPS, the mean at 1,801\./);
});
test("what was not reached lies beyond the highest load", () => {
  assert.match(tippingWords(got({})), /^No load up to 812 IOPS made it slower than 15 ms: the tipping point lies beyond\.$/);
});
test("minutes that were slow at a load carried otherwise are not hidden", () => {
  assert.match(tippingWords(got({}, { minutes_over: 12 })), /12 minutes were over 15 ms on the mean, at loads it otherwise carried/);
});
test("nothing is said where nothing is known", () => {
  assert.equal(tippingWords(got({}, { points: [] })), "");
  assert.equal(tippingWords(got({}, { threshold_ms: null })), "");
});
