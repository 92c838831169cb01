// Which latencies did requests have? Time across, steps of latency upwards, the darker the larger their share.
import { Chart, font, level, line, options, timeAxis, valueAxis } from "charts/frame.js";
import { indexAt, lonely, points, rowOf, rowTicks, stepName } from "charts/series.js";
import { soft, token } from "charts/tokens.js";
import { MatrixController, MatrixElement } from "chartjs-chart-matrix";
import { milliseconds, percent } from "core/format.js";
import { filled, gettext } from "core/words.js";

Chart.register(MatrixController, MatrixElement);

// From the lowest line up; one colour, for they never cross.
const PERCENTILES = [["p50_ms", 2], ["p95_ms", 1.25], ["p99_ms", 0.75]];

const edgeWord = (ms) => (ms === null ? gettext("over 100 s") : milliseconds(ms));

function config(data) {
  const { heat, range: { start, end } } = data;
  const rows = Math.max(1, heat.edges_ms.length - 1);
  const lines = {};
  data.terms.forEach((term, i) => {
    for (const side of new Set([term.read_threshold_ms, term.write_threshold_ms])) {
      const row = rowOf(heat.edges_ms, side);
      if (row !== null) lines[`${side}-${i}`] = level(row, term.start, term.end, token("state-breached"));
    }
  });
  // The matrix controller's own axes stand on their heads and leave room at the ends.
  const x = { ...timeAxis(start, end), offset: false };
  const y = { ...valueAxis("", { max: rows }), offset: false, reverse: false };
  y.grid = { display: false };
  y.ticks = { color: token("text-muted"), font: font(), padding: 8, callback: (row) => edgeWord(heat.edges_ms[row]) };
  y.afterBuildTicks = (axis) => {
    // 18 px a label.
    axis.ticks = rowTicks(heat.edges_ms, Math.ceil((18 * rows) / Math.max(60, axis.chart.height - 30))).map(({ row }) => ({ value: row }));
  };
  const size = (length, scale) => Math.max(1, Math.abs(scale.getPixelForValue(scale.min + length) - scale.getPixelForValue(scale.min)) - 1);
  const percentiles = PERCENTILES.map(([name, borderWidth]) => {
    const onRows = data[name].map((ms) => (ms === null ? null : rowOf(heat.edges_ms, ms)));
    return line(points(data.t, onRows, data.range.step_s), token("text"), { type: "line", borderWidth, pointRadius: lonely(onRows, borderWidth) });
  });
  return {
    datasets: [...percentiles, {
      data: heat.cells.map(([x, row, share]) => ({ x: heat.start + (x + 0.5) * heat.step_s, y: row + 0.5, v: share })),
      // A share is an area to the eye: its root keeps the tail visible.
      backgroundColor: ({ raw }) => soft("chart-1", 0.06 + 0.9 * Math.sqrt(raw?.v ?? 0)),
      borderWidth: 0,
      clip: 0,
      width: ({ chart }) => (chart.scales.x ? size(heat.step_s, chart.scales.x) : 1),
      height: ({ chart }) => (chart.scales.y ? size(1, chart.scales.y) : 1),
    }],
    options: options({ x, y, lines }),
  };
}

function columnAt(heat, moment) {
  const x = Math.floor((moment - heat.start) / heat.step_s);
  return heat.cells.filter((cell) => cell[0] === x).sort((a, b) => b[2] - a[2]);
}

export const heat = {
  make: (canvas, data, link) => {
    const { datasets, options: given } = config(data);
    return new Chart(canvas, { type: "matrix", data: { datasets }, options: given, plugins: [link.plugin] });
  },
  config,
  legend: (data) => [["scale", gettext("share of requests")], ["line text", "p50 · p95 · p99"], ...(data.terms.length ? [["dashed state-breached", gettext("promised")]] : [])],
  note: (data) => (data.heat.cells.length ? filled(gettext("columns of %(step)s"), { step: stepName(data.heat.step_s) }) : ""),
  readout: (data, i, moment) => {
    if (indexAt(data.t, data.range.step_s, moment) < 0) return "";
    const [most] = columnAt(data.heat, moment);
    return most ? filled(gettext("%(share)s at %(from)s to %(to)s"), { share: percent(most[2], 0), from: edgeWord(data.heat.edges_ms[most[1]]), to: edgeWord(data.heat.edges_ms[most[1] + 1]) }) : "";
  },
};
