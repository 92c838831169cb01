// Latency: means of reads and writes, the 99th percentile, the promise; what is excused or breached lies behind.
import { eventBands, eventRules } from "charts/events.js";
import { bands, Chart, level, line, options, timeAxis, valueAxis } from "charts/frame.js";
import { latencyTop, lonely, points, runs, stepName } from "charts/series.js";
import { token } from "charts/tokens.js";
import { milliseconds } from "core/format.js";
import { filled, gettext } from "core/words.js";

// Maintenance is in the states already.
const contended = (data) => eventBands(data.events, data.range).filter(({ state }) => state === "contention");

const SHOWN = ["excused", "breached", "maintenance"];

function config(data) {
  const { t, range: { start, end, step_s: step } } = data;
  const promised = data.terms.flatMap((term) => [term.read_threshold_ms, term.write_threshold_ms]);
  const { top, highest } = latencyTop([data.read_await_ms, data.write_await_ms, data.p99_ms], promised.length ? Math.max(...promised) : null);
  const draw = (values, colour, more) => line(points(t, values, step), colour, { pointRadius: lonely(values), ...more });
  const lines = eventRules(data.events, data.range, token);
  data.terms.forEach((term, i) => {
    lines[`read${i}`] = level(term.read_threshold_ms, term.start, term.end, token("state-breached"));
    if (term.write_threshold_ms !== term.read_threshold_ms) {
      lines[`write${i}`] = level(term.write_threshold_ms, term.start, term.end, token("state-breached"));
    }
  });
  return {
    datasets: [
      draw(data.read_await_ms, token("chart-1")),
      draw(data.write_await_ms, token("chart-3")),
      draw(data.p99_ms, token("chart-2"), { borderWidth: 1 }),
    ],
    options: options({
      x: timeAxis(start, end), y: valueAxis("ms", { max: top }), lines, list: [...runs(t, data.states, step, SHOWN), ...contended(data)],
    }),
    cut: highest > top ? highest : null,
  };
}

function note(data) {
  const { cut } = config(data);
  // What a screen cannot show is drawn in longer steps, and said.
  const step = data.range.step_s > 60 ? filled(gettext("%(step)s a point"), { step: stepName(data.range.step_s) }) : "";
  return [step, cut === null ? "" : filled(gettext("p99 up to %(time)s"), { time: milliseconds(cut) })].filter(Boolean).join(" · ");
}

export const latency = {
  make: (canvas, data, link) => {
    const { datasets, options: given } = config(data);
    return new Chart(canvas, { type: "line", data: { datasets }, options: given, plugins: [bands, link.plugin] });
  },
  config,
  note,
  legend: (data) => {
    const last = data.terms.at(-1);
    const same = last && last.read_threshold_ms === last.write_threshold_ms;
    return [
      ["line chart-1", gettext("read mean")], ["line chart-3", gettext("write mean")], ["line chart-2", "p99"],
      ...(last ? [["dashed state-breached", filled(gettext("%(limit)s ms promised"), { limit: same ? last.read_threshold_ms : `${last.read_threshold_ms} / ${last.write_threshold_ms}` })]] : []),
      ...(data.states.includes("excused") ? [["hatch", gettext("excused")]] : []),
      ...(data.states.includes("breached") ? [["tint", gettext("breached")]] : []),
      ...(contended(data).length ? [["tint-contention", gettext("contention")]] : []),
      ...(data.states.includes("maintenance") ? [["hatch-maintenance", gettext("maintenance")]] : []),
    ];
  },
  columns: ["read_await_ms", "write_await_ms", "p99_ms"],
  readout: (data, i) => filled(gettext("read %(read)s · write %(write)s · p99 %(p99)s"), { read: milliseconds(data.read_await_ms[i]), write: milliseconds(data.write_await_ms[i]), p99: milliseconds(data.p99_ms[i]) }),
};
