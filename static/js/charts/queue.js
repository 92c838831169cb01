// Queue: the mean number of requests under way, and the depth that the contract lets wait.
import { eventBands, eventRules } from "charts/events.js";
import { bands, Chart, level, line, options, timeAxis, valueAxis } from "charts/frame.js";
import { lonely, points, quantile, roundUp } from "charts/series.js";
import { soft, token } from "charts/tokens.js";
import { DASH, fixed } from "core/format.js";
import { filled, gettext } from "core/words.js";

function config(data) {
  const { t, range: { start, end, step_s: step } } = data;
  const depth = Math.max(0, ...data.terms.map((term) => term.depth));
  const most = quantile(data.aqu_sz, 1) ?? 0;
  const lines = eventRules(data.events, data.range, token);
  data.terms.forEach((term, i) => {
    lines[`depth${i}`] = level(term.depth, term.start, term.end, token("text-muted"));
  });
  return {
    datasets: [
      line(points(t, data.aqu_sz, step), token("chart-1"), { fill: "origin", backgroundColor: soft("chart-1", 0.1), pointRadius: lonely(data.aqu_sz) }),
    ],
    options: options({ x: timeAxis(start, end), y: valueAxis("", { max: roundUp(Math.max(most, depth) * 1.1), most: 4 }), lines, list: eventBands(data.events, data.range) }),
  };
}

export const queue = {
  make: (canvas, data, link) => {
    const { datasets, options: given } = config(data);
    return new Chart(canvas, { type: "line", data: { datasets }, options: given, plugins: [bands, link.plugin] });
  },
  config,
  legend: (data) => {
    const last = data.terms.at(-1);
    return [["line chart-1", gettext("requests under way, mean")], ...(last ? [["dashed text-muted", filled(gettext("depth %(depth)s of the contract"), { depth: last.depth })]] : [])];
  },
  columns: ["aqu_sz"],
  readout: (data, i) => filled(gettext("%(count)s requests"), { count: data.aqu_sz[i] === null ? DASH : fixed(data.aqu_sz[i], 1) }),
};
