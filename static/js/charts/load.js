// Load: what came inside the contract, and above it in grey what came in excess; the contract's line.
import { eventBands, eventRules } from "charts/events.js";
import { bands, Chart, level, line, options, timeAxis, valueAxis } from "charts/frame.js";
import { added, lonely, points, roundUp } from "charts/series.js";
import { soft, token } from "charts/tokens.js";
import { count } from "core/format.js";
import { filled, gettext } from "core/words.js";

function config(data) {
  const { t, range: { start, end, step_s: step } } = data;
  const total = added(data.within_iops, data.excess_iops);
  const contracted = Math.max(0, ...data.terms.map((term) => term.iops));
  // An idle disk under a large contract keeps its own scale only where it uses under a tenth of it.
  const most = Math.max(0, ...total.filter((value) => value !== null));
  const lines = eventRules(data.events, data.range, token);
  data.terms.forEach((term, i) => {
    lines[`iops${i}`] = level(term.iops, term.start, term.end, token("text-muted"));
  });
  return {
    datasets: [
      line(points(t, data.within_iops, step), token("chart-1"), { fill: "origin", backgroundColor: soft("chart-1", 0.18), pointRadius: lonely(data.within_iops) }),
      line(points(t, total, step), token("cell-excused"), { fill: "-1", backgroundColor: soft("text-muted", 0.24), borderWidth: 0 }),
    ],
    options: options({
      x: timeAxis(start, end),
      y: valueAxis("IOPS", { max: roundUp(Math.max(most, most * 10 < contracted ? 0 : contracted) * 1.1), digits: most < 5 ? 2 : 0 }),
      lines,
      list: eventBands(data.events, data.range),
    }),
  };
}

export const load = {
  make: (canvas, data, link) => {
    const { datasets, options: given } = config(data);
    return new Chart(canvas, { type: "line", data: { datasets }, options: given, plugins: [bands, link.plugin] });
  },
  config,
  legend: (data) => {
    const last = data.terms.at(-1);
    return [
      ["area chart-1", gettext("within the contract")], ["grey", gettext("excess")],
      ...(last ? [["dashed text-muted", filled(gettext("%(load)s IOPS contracted"), { load: count(last.iops) })]] : []),
    ];
  },
  columns: ["within_iops", "excess_iops"],
  readout: (data, i) => filled(gettext("within %(within)s · excess %(excess)s IOPS"), { within: count(data.within_iops[i]), excess: count(data.excess_iops[i]) }),
};
