// Where the month's figures come from: asked for when somebody opens it.
import { zone } from "core/clock.js";
import { count, milliseconds, moment } from "core/format.js";
import { filled, gettext } from "core/words.js";

const make = (tag, text = "", className = "") => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
};

function figures(told) {
  const list = make("dl", "", "figures");
  for (const { word, value, is } of told.figures) {
    const row = make("div");
    row.append(make("dt", word), make("dd", value, "number"), make("dd", is, "muted formula"));
    list.append(row);
  }
  return list;
}

function worst(told) {
  if (!told.worst.length) return make("p", gettext("No minute of it had anything slow."), "muted");
  const scroll = make("div", "", "twin-body");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", gettext("Worst minutes"));
  const table = document.createElement("table");
  table.createCaption().textContent = filled(gettext("The minutes of %(month)s that cost most"), { month: told.month });
  const head = table.createTHead().insertRow();
  for (const text of [gettext("Minute"), gettext("Slow"), gettext("of covered"), gettext("Mean"), gettext("Lost")]) {
    const cell = make("th", text);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const one of told.worst) {
    const row = body.insertRow();
    const link = make("a", moment(one.t, zone()));
    link.href = `?${one.query}`;
    const first = make("th");
    first.scope = "row";
    first.append(link);
    row.append(first);
    for (const text of [count(one.slow), count(one.eligible), milliseconds(one.await_ms), one.lost_ms ? milliseconds(one.lost_ms) : "0"]) row.insertCell().textContent = text;
  }
  scroll.append(table);
  return scroll;
}

export function monthCard(root) {
  const body = root.querySelector("[data-part=body]");
  let told = null;
  const lay = () => told && body.replaceChildren(figures(told), worst(told));
  root.addEventListener("toggle", async () => {
    if (!root.open) return;
    const response = await fetch(root.dataset.url, { headers: { Accept: "application/json" } }).catch(() => null);
    if (response?.ok) {
      told = await response.json();
      lay();
    } else {
      body.replaceChildren(make("p", gettext("No answer from the server: close and open it again."), "muted"));
    }
  });
  document.addEventListener("zonechange", lay);
}
