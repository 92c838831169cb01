// A pool: the heat map of its disks, live, and the evidence of one window.
import { keepLive } from "charts/live.js";
import { multiples } from "charts/multiples.js";
import { cellAt, heightOf, poolHeat, redraw } from "charts/pool-heat.js";
import { stepName } from "charts/series.js";
import { fillTable, figure, twin, when } from "charts/twin.js";
import { zone } from "core/clock.js";
import { fixed, moment } from "core/format.js";
import { filled, gettext } from "core/words.js";

const find = (id) => document.getElementById(id);
let data = JSON.parse(find("pool-data").textContent);
const canvas = find("heat");
const readout = find("heat-readout");

function fit() {
  canvas.parentElement.style.height = `${heightOf(data)}px`;
  find("heat-empty").hidden = data.heat.cells.length > 0;
}
fit();
const chart = poolHeat(canvas, data);

const table = twin(document.querySelector(".heat-card details"), (root) => {
  const rows = data.heat.cells.map(([x, y, times]) => [when(data.heat.start + x * data.heat.step_s), data.heat.disks[y].name, figure(times)]);
  fillTable(root, [gettext("From"), gettext("Disk"), gettext("Times slower")], rows, filled(gettext("Columns of %(step)s"), { step: stepName(data.heat.step_s) }));
});

canvas.addEventListener("pointermove", (event) => {
  const cell = cellAt(chart, data, event.offsetX, event.offsetY);
  readout.textContent = cell ? `${moment(cell.at, zone())} · ${cell.disk.name} · ×${fixed(cell.times, 2)}` : "";
});
canvas.addEventListener("pointerleave", () => (readout.textContent = ""));
canvas.addEventListener("click", (event) => {
  const cell = cellAt(chart, data, event.offsetX, event.offsetY);
  if (cell) location.assign(`/disks/${cell.disk.id}/${location.search}`);
});

function draw() {
  fit();
  redraw(chart, data);
  table();
}
for (const name of ["themechange", "zonechange"]) document.addEventListener(name, draw);
if (data.card) multiples(find("multiples"), data.card);
if (data.range.live) {
  keepLive({
    url: () => `${location.pathname}/data${location.search}`,
    freshness: find("freshness"),
    stale: find("stale"),
    onData(fresh) {
      // Another window has opened or closed: what is said of it comes with the page.
      const told = ({ windows }) => JSON.stringify(windows.map(({ id, end }) => [id, end]));
      if (told(fresh) !== told(data)) location.reload();
      data = fresh;
      draw();
    },
  });
}
