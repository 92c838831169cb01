// What stands in the table beside each chart.
import { dayName } from "charts/days.js";
import { stepName } from "charts/series.js";
import { fillTable, figure, when } from "charts/twin.js";
import { milliseconds, percent } from "core/format.js";
import { stateWord } from "core/states.js";
import { filled, gettext } from "core/words.js";

const lines = () => ({
  latency: [[gettext("Read mean, ms"), "read_await_ms"], [gettext("Write mean, ms"), "write_await_ms"], ["p50, ms", "p50_ms"], ["p95, ms", "p95_ms"], ["p99, ms", "p99_ms"]],
  load: [[gettext("Within the contract, IOPS"), "within_iops"], [gettext("Excess, IOPS"), "excess_iops"]],
  operations: [[gettext("Reads, IOPS"), "read_iops"], [gettext("Writes, IOPS"), "write_iops"], [gettext("Flushes, IOPS"), "flush_iops"]],
  throughput: [[gettext("Read, bytes/s"), "read_bps"], [gettext("Written, bytes/s"), "write_bps"]],
  await: [[gettext("Read mean, ms"), "read_await_ms"], [gettext("Write mean, ms"), "write_await_ms"], [gettext("Flush mean, ms"), "flush_await_ms"]],
  queue: [[gettext("Requests under way, mean"), "aqu_sz"]],
});

function ofLines(root, chart, data) {
  const columns = lines()[chart];
  const rows = data.t.map((t, i) => [when(t), ...columns.map(([, name]) => figure(data[name]?.[i]))]);
  fillTable(root, [gettext("From"), ...columns.map(([head]) => head)], rows, filled(gettext("Steps of %(step)s, newest last"), { step: stepName(data.range.step_s) }));
}

const others = {
  state: (root, { cells }) => {
    const rows = cells.states.flatMap((state, i) => (state === null ? [] : [[when(cells.start + i * cells.step_s), stateWord(state), cells.proved[i] ? gettext("proved") : gettext("likely")]]));
    fillTable(root, [gettext("From"), gettext("Worst minute"), gettext("Proof")], rows, filled(gettext("Cells of %(step)s"), { step: stepName(cells.step_s) }));
  },
  days: (root, { days }) => {
    const rows = (days?.states ?? []).flatMap((state, i) => (state === null ? [] : [[dayName(days.start + i * days.step_s), stateWord(state), days.proved[i] ? gettext("proved") : gettext("likely"), days.low[i], days.high[i]]]));
    fillTable(root, [gettext("Day"), gettext("State"), gettext("Proof"), gettext("In time at least, %"), gettext("at most, %")], rows, gettext("Days of UTC, newest last"));
  },
  heat: (root, { heat }) => {
    const edge = (ms) => (ms === null ? gettext("more") : milliseconds(ms));
    const rows = heat.cells.map(([x, y, share]) => [when(heat.start + x * heat.step_s), filled(gettext("%(from)s to %(to)s"), { from: edge(heat.edges_ms[y]), to: edge(heat.edges_ms[y + 1]) }), percent(share, 1)]);
    fillTable(root, [gettext("From"), gettext("Latency"), gettext("Share")], rows, filled(gettext("Columns of %(step)s"), { step: stepName(heat.step_s) }));
  },
  budget: (root, { budget }) => {
    const rows = (budget?.t ?? []).map((t, i) => [when(t), ...["left", "low", "high", "ideal"].map((name) => percent(budget[name][i], 1))]);
    fillTable(root, [gettext("Until"), gettext("Left"), gettext("At least"), gettext("At most"), gettext("Should be")], rows, gettext("Shares of the month's expected budget"));
  },
};

export function fillTwin(root, chart, data) {
  if (chart in lines()) ofLines(root, chart, data);
  else others[chart](root, data);
}
