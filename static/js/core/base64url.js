// Binary as text: base64 with the letters of addresses, without padding (RFC 4648 §5).

/** An ArrayBuffer as text. */
export function toBase64url(buffer) {
  let bytes = "";
  for (const byte of new Uint8Array(buffer)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of such a text. */
export function fromBase64url(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (letter) => letter.charCodeAt(0));
}
