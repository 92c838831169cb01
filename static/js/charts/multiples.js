// The evidence as aligned small multiples: one row a disk, load and latency beside each other, the window tinted.
import { bands, Chart, font, timeAxis, valueAxis } from "charts/frame.js";
import { token } from "charts/tokens.js";
import { count, DASH, fixed, milliseconds } from "core/format.js";
import { filled, gettext } from "core/words.js";

const PARTS = [
  { key: "iops", word: "IOPS", colour: "chart-1" },
  { key: "bps", word: "MB/s", colour: "chart-4", scale: 1e-6 },
  { key: "latency_ms", word: "ms", colour: "chart-2" },
];
const ROLES = {
  suspect: { state: "at_risk", word: () => gettext("suspect") },
  victim: { state: "breached", word: () => gettext("victim") },
  bystander: { state: "idle", word: () => gettext("bystander") },
};

const make = (tag, text = "", className = "") => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
};

/** "12 % of the load · 40 s before" for a disk of the card. */
export function figuresOf(disk) {
  const said = [];
  if (disk.times !== null && disk.times !== undefined) said.push(`×${fixed(disk.times, 1)}`);
  if (disk.share !== null && disk.share !== undefined) said.push(filled(gettext("%(share)s of the load"), { share: `${Math.round(disk.share * 100)} %` }));
  if (disk.role === "suspect" && disk.lag_s !== null && disk.lag_s !== undefined) {
    const words = disk.lag_s === 0 ? gettext("rose in the same minute") : disk.lag_s > 0 ? gettext("rose %(count)s s before") : gettext("rose %(count)s s after");
    said.push(filled(words, { count: Math.abs(disk.lag_s) }));
  }
  if (disk.score !== null && disk.score !== undefined && disk.role === "suspect") said.push(filled(gettext("score %(score)s"), { score: fixed(disk.score, 2) }));
  return said.join(" · ") || DASH;
}

function plot(canvas, card, disk, part) {
  const values = (disk[part.key] ?? []).map((value) => (value === null ? null : value * (part.scale ?? 1)));
  const most = Math.max(0, ...values.filter((value) => value !== null));
  const first = card.t[0];
  const last = (card.t.at(-1) ?? first) + 60;
  const x = timeAxis(first, last);
  x.ticks.font = font();
  const y = valueAxis(part.word, { max: most * 1.15 || 1, most: 3, digits: most < 10 ? 1 : 0 });
  return new Chart(canvas, {
    type: "line",
    data: { datasets: [{ data: values.map((v, i) => ({ x: card.t[i] + 30, y: v })), borderColor: token(part.colour), borderWidth: 1.5, pointRadius: 0 }] },
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, normalized: true, parsing: false, spanGaps: false, events: [],
      layout: { padding: { top: 4, right: 6 } },
      scales: { x, y },
      plugins: { annotation: { annotations: {} }, bands: { list: [{ state: "contention", start: card.start, end: card.end ?? last }] } },
    },
    plugins: [bands],
  });
}

/** Fills `root`; returns a function that draws the same again (theme, zone). */
export function multiples(root, card) {
  let charts = [];
  const draw = () => {
    for (const chart of charts) chart.destroy();
    charts = [];
    root.replaceChildren();
    if (!card.disks.length) {
      root.append(make("p", gettext("No curves were kept of this window."), "muted"));
      return;
    }
    for (const disk of card.disks) {
      const row = make("div", "", "multiple");
      const head = make("div", "", "multiple-head");
      const link = make("a", disk.name);
      link.href = disk.url;
      const role = make("span", ROLES[disk.role].word(), `state state-${ROLES[disk.role].state}`);
      head.append(link, role, make("span", figuresOf(disk), "muted"));
      row.append(head);
      for (const part of PARTS) {
        const cell = make("div", "", "multiple-plot");
        const canvas = make("canvas");
        canvas.setAttribute("role", "img");
        const most = Math.max(0, ...(disk[part.key] ?? []).filter((value) => value !== null));
        const peak = part.key === "latency_ms" ? milliseconds(most) : `${count(most * (part.scale ?? 1))} ${part.word}`;
        canvas.setAttribute("aria-label", filled(gettext("%(disk)s: %(unit)s over time, at most %(peak)s"), { disk: disk.name, unit: part.word, peak }));
        cell.append(canvas);
        row.append(cell);
        root.append(row);
        charts.push(plot(canvas, card, disk, part));
      }
    }
  };
  draw();
  for (const name of ["themechange", "zonechange"]) document.addEventListener(name, draw);
  return draw;
}
