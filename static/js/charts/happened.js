// The list of what happened beside the charts: the same bands and rules in words, each a link where there is a page.
import { zone } from "core/clock.js";
import { moment, timeOfDay } from "core/format.js";
import { filled, gettext } from "core/words.js";

const ICONS = { contention: "at_risk", incident: "breached", maintenance: "maintenance", move: "idle", probe: "idle" };
const words = () => ({ contention: gettext("contention"), incident: gettext("incident") });

function icon(kind) {
  const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawing.setAttribute("class", `icon state-${ICONS[kind]}`);
  drawing.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#i-${ICONS[kind]}`);
  drawing.append(use);
  return drawing;
}

function when({ kind, start, end }) {
  const from = moment(start, zone());
  if (kind === "move") return from;
  if (end === null) return filled(gettext("%(from)s, still"), { from });
  return `${from} – ${end - start < 86400 ? timeOfDay(end, zone(), { named: false }) : moment(end, zone())}`;
}

/** Shows the newest first; hides the whole section where nothing happened. */
export function happened(root) {
  const list = root.querySelector("ul");
  return (events) => {
    root.hidden = !events.length;
    list.replaceChildren(...[...events].reverse().map((event) => {
      const item = document.createElement("li");
      const time = document.createElement("span");
      time.className = "muted nowrap";
      time.textContent = when(event);
      const text = document.createElement(event.url ? "a" : "span");
      if (event.url) text.href = event.url;
      text.textContent = ["maintenance", "move", "probe"].includes(event.kind) ? event.text : `${words()[event.kind]}: ${event.text}`;
      item.append(icon(event.kind), text, time);
      return item;
    }));
  };
}
