import assert from "node:assert/strict";
import { test } from "node:test";
import { meaning, stepped } from "../../../static/js/core/travel.js";

test("a key means something alone, or after g", () => {
  assert.deepEqual(meaning("", "?"), { act: "help" });
  assert.deepEqual(meaning("", "g"), { prefix: "g" });
  assert.deepEqual(meaning("g", "f"), { go: "fleet" });
  assert.equal(meaning("g", "?"), null);
  assert.equal(meaning("", "x"), null);
});

test("a walk begins at the near end and stays inside the list", () => {
  assert.equal(stepped(-1, 1, 3), 0);
  assert.equal(stepped(-1, -1, 3), 2);
  assert.equal(stepped(2, 1, 3), 2);
  assert.equal(stepped(0, -1, 3), 0);
  assert.equal(stepped(1, 1, 3), 2);
  assert.equal(stepped(-1, 1, 0), -1);
});
