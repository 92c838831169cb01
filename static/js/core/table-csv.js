// Any list as a file: what stands in the table, as text, one line a row.
import { gettext } from "./words.js";

const RUNS = /^[=+\-@\t\r]/;
const FIGURE = /^[+-]?[\d.,]/;
const QUOTED = /[",\n]/;

/** Cells as one CSV text; a cell that begins like a formula is kept from being one (spreadsheets run it). */
export function csvOf(rows) {
  const cell = (text) => {
    const plain = RUNS.test(text) && !FIGURE.test(text) ? `'${text}` : text;
    return QUOTED.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  return `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

const words = (cell) => (cell.querySelector("time")?.dateTime && cell.children.length === 1 && cell.firstElementChild.tagName === "TIME"
  ? cell.querySelector("time").dateTime
  : cell.innerText.replaceAll(/\s+/g, " ").trim());

function save(table) {
  const rows = [...table.rows].map((row) => [...row.cells].filter((cell) => !cell.querySelector("form, button")).map(words));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["﻿", csvOf(rows)], { type: "text/csv" }));
  link.download = `${(document.querySelector("h1")?.innerText ?? "plimsoll").toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "")}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function offer(root = document) {
  for (const table of root.querySelectorAll("table.list")) {
    const card = table.closest(".table-card");
    if (!card || card.querySelector(".table-csv") || table.rows.length < 2) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "table-csv plain";
    button.textContent = "CSV";
    button.title = gettext("These rows as a file");
    button.addEventListener("click", () => save(table));
    card.append(button);
  }
}

export function startTables() {
  offer();
  document.addEventListener("htmx:afterSettle", () => offer());
}
