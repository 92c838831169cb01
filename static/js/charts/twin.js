// The table beside each chart: the same points as text, made when somebody opens it.
import { DASH, decimal, moment } from "core/format.js";
import { zone } from "core/clock.js";

/** `rows`: arrays of text or figures; the first column heads its row. */
export function fillTable(root, heads, rows, caption) {
  const table = document.createElement("table");
  table.createCaption().textContent = caption;
  const head = table.createTHead().insertRow();
  for (const text of heads) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = text;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const [first, ...rest] of rows) {
    const row = body.insertRow();
    const cell = document.createElement("th");
    cell.scope = "row";
    cell.textContent = first;
    row.append(cell);
    for (const value of rest) row.insertCell().textContent = value ?? DASH;
  }
  root.replaceChildren(table);
}

export const figure = (value, digits = 2) => decimal(value ?? null, digits);
export const when = (unix) => moment(unix, zone());

/** Fills a <details> when it opens, and again on `refresh()` while it is open. */
export function twin(details, fill) {
  const refresh = () => details.open && fill(details.querySelector("[data-part=twin]"));
  details.addEventListener("toggle", refresh);
  return refresh;
}
