import assert from "node:assert/strict";
import test from "node:test";

import { count, DASH, duration, milliseconds, moment, percent, timeOfDay } from "../../../static/js/core/format.js";

const AT = Date.UTC(2026, 10, 21, 14, 3, 12) / 1000;

test("a share is cut and never rounded up", () => {
  assert.equal(percent(0.99996), "99.99 %");
  assert.equal(percent(0.999999999), "99.99 %");
  assert.equal(percent(1), "100.00 %");
  assert.equal(percent(0.57, 0), "57 %"); // 0.57 * 100 is 56.99… in binary
  assert.equal(percent(0.1 + 0.2, 4), "30.0000 %");
  assert.equal(percent(1e-9), "0.00 %");
});

test("what is overdrawn is cut towards less, with a minus sign as wide as a figure", () => {
  assert.equal(percent(-0.381, 0), "−39 %");
  assert.equal(percent(-0.38, 0), "−38 %");
  assert.equal(percent(-1e-9, 2), "−0.01 %");
});

test("unknown is a dash and never 0", () => {
  for (const show of [percent, count, milliseconds, duration, timeOfDay, moment]) {
    assert.equal(show(null), DASH);
    assert.equal(show(Number.NaN), DASH);
  }
});

test("an age is said in the largest unit that leaves two or more", () => {
  assert.deepEqual([0, 12.9, 119, 120, 7199, 7200, 172_799, 172_800].map(duration), [
    "0 s", "12 s", "119 s", "2 min", "119 min", "2 h", "47 h", "2 d",
  ]);
  assert.equal(duration(-3), "0 s"); // the server's clock is a little ahead of ours
});

test("a moment has its zone beside it, and the zone's own hour", () => {
  assert.equal(timeOfDay(AT), "14:03 UTC");
  assert.equal(timeOfDay(AT, "UTC", { seconds: true, named: false }), "14:03:12");
  assert.equal(timeOfDay(AT, "Europe/Prague"), "15:03 CET");
  assert.equal(moment(AT), "21 Nov 2026 14:03 UTC");
  assert.equal(timeOfDay(Date.UTC(2026, 10, 21, 0, 5) / 1000), "00:05 UTC"); // not 24:05
});

test("milliseconds keep two or three figures", () => {
  assert.deepEqual([0.943, 9.44, 61.4, 999, 1234, 61_000].map(milliseconds), [
    "0.94 ms", "9.4 ms", "61 ms", "999 ms", "1.2 s", "61 s",
  ]);
});
