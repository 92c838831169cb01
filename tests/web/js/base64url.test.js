import assert from "node:assert/strict";
import test from "node:test";
import { fromBase64url, toBase64url } from "../../../static/js/core/base64url.js";

test("the examples of RFC 4648, with the letters of addresses and without padding", () => {
  const bytes = (text) => new TextEncoder().encode(text);
  assert.equal(toBase64url(bytes("")), "");
  assert.equal(toBase64url(bytes("f")), "Zg");
  assert.equal(toBase64url(bytes("foobar")), "Zm9vYmFy");
  assert.equal(toBase64url(new Uint8Array([251, 255, 254])), "-__-");
});

test("what was written is read again, every byte", () => {
  const all = Uint8Array.from({ length: 256 }, (_, index) => index);
  assert.deepEqual(fromBase64url(toBase64url(all.buffer)), all);
});
