// Reads, writes and flushes apart: how many and how many bytes a second, and how long one took. Flushes come from frames, a moment later.
import { eventBands, eventRules } from "charts/events.js";
import { bands, Chart, line, options, timeAxis, valueAxis } from "charts/frame.js";
import { lonely, points, quantile, roundUp } from "charts/series.js";
import { token } from "charts/tokens.js";
import { count, milliseconds } from "core/format.js";
import { filled, gettext } from "core/words.js";

const KINDS = [["read", "chart-1"], ["write", "chart-3"], ["flush", "chart-2"]];
const words = () => ({ read: gettext("read"), write: gettext("write"), flush: gettext("flush") });
// One slow flush may not flatten everything else; what lies higher is cut, and said.
const USUAL = 0.98;

const known = (values) => values.filter((value) => value !== null);
const hasFlushes = (data) => Boolean(data.flush_iops && known(data.flush_iops).length);
const kinds = (data) => KINDS.filter(([kind]) => kind !== "flush" || hasFlushes(data));

function topOf(lines) {
  const most = Math.max(0, ...lines.map((values) => quantile(values, 1) ?? 0));
  const usual = Math.max(0, ...lines.map((values) => quantile(values, USUAL) ?? 0));
  const top = roundUp(Math.min(most * 1.1, usual * 2.5) || 1);
  return { top, cut: most > top ? most : null };
}

/** `scale`: from the page's unit to the axis's; `shown`: which kinds have such a figure. */
function chartOf(unit, suffix, format, { scale = 1, shown = kinds } = {}) {
  const valuesOf = (data, kind) => data[`${kind}_${suffix}`].map((value) => (value === null ? null : value * scale));
  const linesOf = (data) => shown(data).map(([kind]) => valuesOf(data, kind));
  const config = (data) => {
    const { t, range: { start, end, step_s: step } } = data;
    const { top } = topOf(linesOf(data));
    return {
      datasets: shown(data).map(([kind, colour]) => {
        const values = valuesOf(data, kind);
        return line(points(t, values, step), token(colour), { pointRadius: lonely(values) });
      }),
      options: options({
        x: timeAxis(start, end), y: valueAxis(unit, { max: top, most: 4, digits: top < 5 ? 2 : 0 }),
        lines: eventRules(data.events, data.range, token), list: eventBands(data.events, data.range),
      }),
    };
  };
  return {
    make: (canvas, data, link) => {
      const { datasets, options: given } = config(data);
      return new Chart(canvas, { type: "line", data: { datasets }, options: given, plugins: [bands, link.plugin] });
    },
    config,
    legend: (data) => shown(data).map(([kind, colour]) => [`line ${colour}`, words()[kind]]),
    note: (data) => {
      const { cut } = topOf(linesOf(data));
      const flushes = shown === kinds && data.flushes_read === false ? gettext("flushes: in ranges up to a day") : "";
      return [cut === null ? "" : filled(gettext("up to %(most)s"), { most: format(cut) }), flushes].filter(Boolean).join(" · ");
    },
    readout: (data, i) => shown(data).map(([kind]) => `${words()[kind]} ${format(valuesOf(data, kind)[i])}`).join(" · "),
    isEmpty: (data) => linesOf(data).every((values) => !known(values).length),
  };
}

const rate = (value) => (value === null || value === undefined ? count(null) : value < 10 ? String(Math.round(value * 100) / 100) : count(value));

export const operations = chartOf("IOPS", "iops", rate);
export const throughput = chartOf("MB/s", "bps", (value) => `${rate(value)} MB/s`, { scale: 1e-6, shown: () => KINDS.slice(0, 2) });
export const awaits = chartOf("ms", "await_ms", milliseconds);

const EVERY_MS = 60_000;

/** Reads the flushes of what is shown and hands them on; again after a minute at most. `url()`: their address. */
export function flushes(url, onLines) {
  let asked = -Infinity;
  let lines = {};
  return async function ask(data) {
    const fits = () => lines.start === data.t[0] && lines.flush_iops.length === data.t.length;
    if (fits()) Object.assign(data, lines);
    if (fits() && Date.now() - asked < EVERY_MS) return;
    asked = Date.now();
    const answer = await fetch(url(), { headers: { Accept: "application/json" } }).catch(() => null);
    if (!answer?.ok || answer.redirected) return;
    const { start, read, flush_iops, flush_await_ms } = await answer.json();
    lines = { start, flushes_read: read, flush_iops, flush_await_ms };
    if (fits()) onLines(lines);
  };
}
