import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "../../../static/js/core/table-csv.js";

test("commas, quotes and new lines are kept inside their cell", () => {
  assert.equal(csvOf([["a", "b"], ['x "y"', "1,000"]]), 'a,b\r\n"x ""y""","1,000"\r\n');
});

test("a cell that a spreadsheet would run is text, a number stays one", () => {
  assert.equal(csvOf([["=1+1", "-5 %", "@x", "+3.5"]]), "'=1+1,-5 %,'@x,+3.5\r\n");
});
