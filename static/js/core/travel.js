// Around the pages without a mouse: "?" tells the keys, "g" and a letter goes to a place, j and k walk a list, [ and ]
// walk through time.

const WAIT_MS = 1_500; // between "g" and its letter
const PLACES = { f: "fleet", p: "pools", w: "windows", i: "incidents", c: "contracts", r: "reports", a: "agents", l: "log", h: "home" };

/** What the next key after `before` means: {prefix} to wait for a second key, {act} to do something, or nothing. */
export function meaning(before, key) {
  if (before === "g") return PLACES[key] ? { go: PLACES[key] } : null;
  if (key === "g") return { prefix: "g" };
  return { "?": { act: "help" }, j: { act: "down" }, k: { act: "up" }, "[": { act: "earlier" }, "]": { act: "later" } }[key] ?? null;
}

/** The place in a list of `length` after a step, from `at` (-1: nowhere yet); stays at the ends. */
export function stepped(at, by, length) {
  if (length === 0) return -1;
  return at < 0 ? (by > 0 ? 0 : length - 1) : Math.min(length - 1, Math.max(0, at + by));
}

function walk(by) {
  const rows = [...document.querySelectorAll("main .list .name a")];
  const at = stepped(rows.indexOf(document.activeElement), by, rows.length);
  rows[at]?.focus();
}

export function startTravel({ help, places }) {
  let before = "";
  let timer = 0;
  const acts = {
    help: () => help && (help.open ? help.close() : help.showModal()),
    down: () => walk(1),
    up: () => walk(-1),
    earlier: () => document.querySelector("main a[rel=prev]")?.click(),
    later: () => document.querySelector("main a[rel=next]")?.click(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]")) return;
    const found = meaning(before, event.key);
    clearTimeout(timer);
    before = found?.prefix ?? "";
    if (before) timer = setTimeout(() => (before = ""), WAIT_MS);
    if (!found?.act && !found?.go) return;
    event.preventDefault();
    if (found.act) acts[found.act]();
    else places?.querySelector(`[data-place="${found.go}"]`)?.click();
  });
  for (const button of document.querySelectorAll("[data-opens=help]")) button.addEventListener("click", acts.help);
  // A click beside the sheet closes it.
  help?.addEventListener("click", (event) => event.target === help && help.close());
}
