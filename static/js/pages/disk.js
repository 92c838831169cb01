// The disk's page: charts over one span of time that move, zoom and refresh together.
import { budget } from "charts/budget.js";
import { daysBar } from "charts/days.js";
import { happened } from "charts/happened.js";
import { showHead } from "charts/head.js";
import { heat } from "charts/heat.js";
import { latency } from "charts/latency.js";
import { makeLink } from "charts/link.js";
import { keepLive } from "charts/live.js";
import { load } from "charts/load.js";
import { minutePanel } from "charts/minute.js";
import { monthCard } from "charts/month.js";
import { awaits, flushes, operations, throughput } from "charts/operations.js";
import { queue } from "charts/queue.js";
import { indexAt, rangeName, stamp, stepName } from "charts/series.js";
import { fillTwin } from "charts/tables.js";
import { timeline } from "charts/timeline.js";
import { tippingCard } from "charts/tipping.js";
import { twin } from "charts/twin.js";
import { zone } from "core/clock.js";
import { moment, timeOfDay } from "core/format.js";
import { showAlarm } from "core/refresh.js";
import { stateWord } from "core/states.js";
import { filled, gettext } from "core/words.js";

const KINDS = { latency, load, operations, throughput, await: awaits, queue, heat, budget };
const title = document.title;
const section = (name) => document.querySelector(`[data-chart=${name}]`);
const part = (name, which) => section(name)?.querySelector(`[data-part=${which}]`);
const charts = {};
let data = JSON.parse(document.getElementById("disk-data").textContent);

const url = (change) => {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(change)) value === null ? query.delete(name) : query.set(name, value);
  return `?${query}`.replaceAll("%3A", ":");
};
const zoom = ({ start, end }) => location.assign(url({ range: rangeName(end - start), to: stamp(end), minute: null }));

const panel = minutePanel(document.getElementById("minute"), {
  onShown: (told) => {
    history.replaceState(null, "", url({ minute: told.minute }));
    const { top, bottom } = document.getElementById("minute").getBoundingClientRect();
    // Where the columns stand below each other the panel is far away.
    if (top > innerHeight || bottom < 0) document.getElementById("minute").scrollIntoView();
  },
  onClosed: () => history.replaceState(null, "", url({ minute: null })),
});
/** A cell up to an hour opens its worst minute; a longer one becomes the range. */
function pick(start, step) {
  if (step > 3600) zoom({ start, end: start + step });
  else panel.show(start, start + step);
}

const link = makeLink({
  onHover: showAt,
  onPick: (at) => {
    const i = indexAt(data.t, data.range.step_s, at);
    if (i >= 0) pick(data.t[i], data.range.step_s);
  },
  onZoom: zoom,
});

function showAt(at) {
  const i = at === null ? -1 : indexAt(data.t, data.range.step_s, at);
  for (const [name, kind] of Object.entries(KINDS)) {
    const readout = part(name, "readout");
    if (!readout || !kind.readout) continue;
    const time = i < 0 ? "" : data.range.end - data.range.start > 86400 ? moment(data.t[i], zone()) : timeOfDay(data.t[i], zone());
    readout.textContent = i < 0 ? "" : `${time} · ${kind.readout(data, i, at)}`;
    section(name).classList.toggle("pointed", i >= 0);
  }
}

function cellText(i) {
  const { start, step_s: step, states, proved, counts } = data.cells;
  const from = start + i * step;
  const told = Object.entries(counts[i]).map(([state, n]) => filled(gettext("%(count)s min %(state)s"), { count: n, state: stateWord(state) })).join(", ");
  const word = states[i] === null ? gettext("nothing yet") : stateWord(states[i]);
  const proof = ["breached", "met"].includes(states[i]) ? `, ${proved[i] ? gettext("proved") : gettext("likely")}` : "";
  return `${moment(from, zone())}: ${word}${proof}${told ? ` (${told})` : ""}`;
}
/** Cells lie on the clock's grid: the range cuts the first and the last one, as it cuts the plots below. */
function cells() {
  const { start, step_s: step, states, proved } = data.cells;
  return states.map((state, i) => {
    const from = Math.max(data.range.start, start + i * step);
    const weight = (Math.min(data.range.end, start + (i + 1) * step) - from) / step;
    return { state, likely: !proved[i] && state === "breached", weight, text: cellText(i) };
  });
}

function words(name, kind) {
  const legend = part(name, "legend");
  legend?.replaceChildren(...(kind.legend?.(data) ?? []).map(([look, text]) => {
    const item = document.createElement("li");
    const key = document.createElement("span");
    key.className = `key ${look.split(" ").map((one) => `key-${one}`).join(" ")}`;
    item.append(key, text);
    return item;
  }));
  if (kind.note) part(name, "note").textContent = kind.note(data);
  const caption = part(name, "caption");
  if (caption) caption.textContent = kind.caption(data);
}

const nothing = { latency: () => data.t.every((_, i) => data.p99_ms[i] === null && data.read_await_ms[i] === null && data.write_await_ms[i] === null), load: () => data.within_iops.every((v) => v === null), queue: () => data.aqu_sz.every((v) => v === null), heat: () => !data.heat.cells.length, budget: () => !data.budget };
const isEmpty = (name, kind) => (kind.isEmpty ? kind.isEmpty(data) : nothing[name]());

function draw(name, kind) {
  const empty = isEmpty(name, kind);
  part(name, "empty").hidden = !empty;
  words(name, kind);
  if (name === "budget" && empty) return;
  const canvas = section(name).querySelector("canvas");
  if (!charts[name]) {
    charts[name] = kind.make(canvas, data, link);
    return;
  }
  const { datasets, options } = kind.config(data);
  charts[name].data.datasets = datasets;
  charts[name].options = options;
  charts[name].update("none");
}

const bar = timeline(part("state", "bar"), cells(), {
  onShow: (i) => {
    const { start, step_s: step } = data.cells;
    part("state", "readout").textContent = i === null ? "" : cellText(i);
    section("state").classList.toggle("pointed", i !== null);
    link.show(i === null ? null : start + (i + 0.5) * step);
  },
  onPick: (i) => pick(data.cells.start + i * data.cells.step_s, data.cells.step_s),
});
let days = null;
const askFlushes = flushes(() => `flushes${url({ minute: null })}`, (lines) => {
  Object.assign(data, lines);
  for (const name of ["operations", "await"]) draw(name, KINDS[name]);
  for (const refresh of twins) refresh();
});
const twins = [...document.querySelectorAll("[data-chart]")].map((root) =>
  twin(root.querySelector("details"), (table) => fillTwin(table, root.dataset.chart, data)));

const tell = happened(document.getElementById("happened"));

function drawAll() {
  tell(data.events);
  part("state", "note").textContent = filled(gettext("one cell per %(step)s, %(from)s to %(to)s"), { step: stepName(data.cells.step_s), from: moment(data.range.start, zone()), to: data.range.live ? gettext("now") : moment(data.range.end, zone()) });
  for (const [name, kind] of Object.entries(KINDS)) draw(name, kind);
  for (const refresh of twins) refresh();
  showAlarm(data.state.state === "breached" ? 1 : 0, title);
}

drawAll();
askFlushes(data);
daysBar(section("days"), {
  onPick: pick,
  onDays(told) {
    days = told;
    data.days = told;
    for (const refresh of twins) refresh();
  },
});
monthCard(document.getElementById("month"));
tippingCard(document.getElementById("tipping"));
for (const name of ["themechange", "zonechange"]) document.addEventListener(name, drawAll);
if (data.range.live) {
  keepLive({
    url: () => `data${url({ range: data.range.name, to: null, minute: null })}`,
    freshness: document.getElementById("freshness"),
    stale: document.getElementById("stale"),
    onData(fresh) {
      data = { ...fresh, days };
      askFlushes(data);
      showHead(data);
      bar.update(cells());
      drawAll();
    },
  });
}
const asked = new URLSearchParams(location.search).get("minute");
if (asked && !Number.isNaN(Date.parse(asked))) panel.show(Date.parse(asked) / 1000, Date.parse(asked) / 1000 + 60);
