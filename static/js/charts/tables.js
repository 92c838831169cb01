// What stands in the table beside each chart.
import { dayName } from "charts/days.js";
import { stepName } from "charts/series.js";
import { fillTable, figure, when } from "charts/twin.js";
import { milliseconds, percent } from "core/format.js";

const lines = {
  latency: [["Read mean, ms", "read_await_ms"], ["Write mean, ms", "write_await_ms"], ["p50, ms", "p50_ms"], ["p95, ms", "p95_ms"], ["p99, ms", "p99_ms"]],
  load: [["Within the contract, IOPS", "within_iops"], ["Excess, IOPS", "excess_iops"]],
  operations: [["Reads, IOPS", "read_iops"], ["Writes, IOPS", "write_iops"], ["Flushes, IOPS", "flush_iops"]],
  await: [["Read mean, ms", "read_await_ms"], ["Write mean, ms", "write_await_ms"], ["Flush mean, ms", "flush_await_ms"]],
  queue: [["Requests under way, mean", "aqu_sz"]],
};

function ofLines(root, chart, data) {
  const columns = lines[chart];
  const rows = data.t.map((t, i) => [when(t), ...columns.map(([, name]) => figure(data[name]?.[i]))]);
  fillTable(root, ["From", ...columns.map(([head]) => head)], rows, `Steps of ${stepName(data.range.step_s)}, newest last`);
}

const others = {
  state: (root, { cells }) => {
    const rows = cells.states.flatMap((state, i) => (state === null ? [] : [[when(cells.start + i * cells.step_s), state.replace("_", " "), cells.proved[i] ? "proved" : "likely"]]));
    fillTable(root, ["From", "Worst minute", "Proof"], rows, `Cells of ${stepName(cells.step_s)}`);
  },
  days: (root, { days }) => {
    const rows = (days?.states ?? []).flatMap((state, i) => (state === null ? [] : [[dayName(days.start + i * days.step_s), state.replace("_", " "), days.proved[i] ? "proved" : "likely", days.low[i], days.high[i]]]));
    fillTable(root, ["Day", "State", "Proof", "In time at least, %", "at most, %"], rows, "Days of UTC, newest last");
  },
  heat: (root, { heat }) => {
    const edge = (ms) => (ms === null ? "more" : milliseconds(ms));
    const rows = heat.cells.map(([x, y, share]) => [when(heat.start + x * heat.step_s), `${edge(heat.edges_ms[y])} to ${edge(heat.edges_ms[y + 1])}`, percent(share, 1)]);
    fillTable(root, ["From", "Latency", "Share"], rows, `Columns of ${stepName(heat.step_s)}`);
  },
  budget: (root, { budget }) => {
    const rows = (budget?.t ?? []).map((t, i) => [when(t), ...["left", "low", "high", "ideal"].map((name) => percent(budget[name][i], 1))]);
    fillTable(root, ["Until", "Left", "At least", "At most", "Should be"], rows, "Shares of the month's expected budget");
  },
};

export function fillTwin(root, chart, data) {
  if (chart in lines) ofLines(root, chart, data);
  else others[chart](root, data);
}
