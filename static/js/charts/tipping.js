// At which load does this disk stop answering in time? Latency against load, with the contract's corner drawn in.
import { LogarithmicScale } from "chart.js";
import { Chart, font, options } from "charts/frame.js";
import { token } from "charts/tokens.js";
import { tippingWords } from "charts/tipping-words.js";
import { figure, fillTable, twin } from "charts/twin.js";
import { decimal } from "core/format.js";
import { filled, gettext } from "core/words.js";

Chart.register(LogarithmicScale);

const TICKS = new Set([1, 2, 5]);
const leading = (value) => Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));

// Under a decade a logarithmic axis has hardly a round number to show.
export function axis(unit, position, values) {
  const linear = Math.max(...values) < 10 * Math.min(...values);
  return {
    type: linear ? "linear" : "logarithmic",
    ...(linear && { beginAtZero: true }),
    position,
    border: { display: position === "bottom", color: token("grid") },
    grid: { color: token("grid"), display: position === "left", tickLength: 0 },
    title: { display: true, text: unit, color: token("text-muted"), font: font() },
    ticks: {
      color: token("text-muted"), font: font(), maxRotation: 0, autoSkip: true, autoSkipPadding: 12, padding: 4, includeBounds: false, maxTicksLimit: 6,
      callback: (value) => (linear || TICKS.has(leading(value)) ? decimal(value) : null),
    },
  };
}

export function corner(got) {
  const lines = {};
  if (got.threshold_ms) {
    lines.threshold = { type: "line", yMin: got.threshold_ms, yMax: got.threshold_ms, borderColor: token("state-breached"), borderWidth: 1.5, borderDash: [5, 4] };
    lines.load = { type: "line", xMin: got.contract_iops, xMax: got.contract_iops, borderColor: token("text-muted"), borderWidth: 1.5, borderDash: [5, 4] };
  }
  const knee = got.knee.p99_iops ?? got.knee.mean_iops;
  if (knee) lines.knee = { type: "point", xValue: knee, yValue: got.threshold_ms, radius: 5, backgroundColor: token("surface-raised"), borderColor: token("state-breached"), borderWidth: 2 };
  return lines;
}

function config(got) {
  const dots = (name, colour) => ({
    data: got.points.filter((point) => point[name] > 0).map((point) => ({ x: point.iops, y: point[name] })),
    borderColor: colour, backgroundColor: colour, borderWidth: 1.5, pointRadius: 2.5, tension: 0,
  });
  return {
    datasets: [dots("await_ms", token("chart-1")), dots("p99_ms", token("chart-2"))],
    options: options({ x: axis("IOPS", "bottom", got.points.map((p) => p.iops)), y: axis("ms", "left", got.points.flatMap((p) => [p.await_ms, p.p99_ms]).filter((v) => v > 0)), lines: corner(got) }),
  };
}

const heads = () => [gettext("Load, IOPS"), gettext("Mean, ms"), "p99, ms", gettext("Minutes")];
const rows = (points) => points.map((point) => [figure(point.iops, 1), figure(point.await_ms, 2), figure(point.p99_ms, 2), figure(point.minutes, 0)]);

/** Fills the card once it is looked at; what cannot be had is said in it. */
export async function tippingCard(root) {
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const empty = part("empty");
  let got;
  try {
    const answer = await fetch(root.dataset.source, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`${answer.status}`);
    got = await answer.json();
  } catch (error) {
    empty.hidden = false;
    empty.textContent = filled(gettext("Could not be read (%(error)s); reload to try again."), { error: error.message });
    return;
  }
  part("caption").textContent = tippingWords(got);
  empty.hidden = got.points.length > 0;
  if (!got.points.length) {
    empty.textContent = gettext("No minute had as much as one request a second.");
    return;
  }
  twin(root.querySelector("details"), (table) => fillTable(table, heads(), rows(got.points), gettext("Latency by load over seven days")));
  const chart = new Chart(root.querySelector("canvas"), { type: "line", data: { datasets: config(got).datasets }, options: config(got).options });
  document.addEventListener("themechange", () => {
    const fresh = config(got);
    chart.data.datasets = fresh.datasets;
    chart.options = fresh.options;
    chart.update("none");
  });
}
