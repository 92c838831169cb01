// Lines, bands and ticks from plain arrays. Pure: no document, no clock. Unknown is null and stays null.
import { filled, gettext } from "../core/words.js";

/** Points in the middle of each step; a null stays a hole. */
export function points(t, values, step) {
  return values.map((y, i) => ({ x: t[i] + step / 2, y: y ?? null }));
}

/** Radius of each point: a dot where a point has no neighbour to draw a line to, nothing elsewhere. */
export function lonely(values, radius = 1.5) {
  return values.map((y, i) => (y !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? radius : 0));
}

/** Sums of two lines; null where either is unknown. */
export function added(a, b) {
  return a.map((value, i) => (value === null || b[i] === null ? null : value + b[i]));
}

/** Stretches of steps in one of the states: {state, start, end}, in order. */
export function runs(t, states, step, wanted) {
  const found = [];
  states.forEach((state, i) => {
    if (!wanted.includes(state)) return;
    const last = found.at(-1);
    if (last && last.state === state && last.end === t[i]) last.end = t[i] + step;
    else found.push({ state, start: t[i], end: t[i] + step });
  });
  return found;
}

/** Which step holds a moment; -1 outside. */
export function indexAt(t, step, moment) {
  if (!t.length) return -1;
  const i = Math.floor((moment - t[0]) / step);
  return i >= 0 && i < t.length ? i : -1;
}

/** The value that a share of the known values does not exceed; null without any. */
export function quantile(values, share) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (!known.length) return null;
  return known[Math.min(known.length - 1, Math.max(0, Math.ceil(share * known.length) - 1))];
}

const NICE = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The next round figure from a value up. */
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return Number((unit * NICE.find((step) => step * unit >= value * (1 - 1e-9))).toPrecision(6));
}

/**
 * Top of a latency axis: the promise and the usual tail can be read, a few huge values do not flatten the rest.
 * `lines`: arrays of ms; `promised` in ms or null. What lies higher is cut, and `highest` says how high it was.
 */
export function latencyTop(lines, promised) {
  const all = lines.flat();
  const highest = all.reduce((most, value) => (value !== null && value > most ? value : most), 0);
  const means = Math.max(...lines.slice(0, -1).map((line) => quantile(line, 1) ?? 0), 0);
  const usual = quantile(lines.at(-1) ?? [], 0.75) ?? 0;
  const wanted = Math.max((promised ?? 0) * 1.6, means * 1.4, usual * 1.4);
  const top = roundUp(Math.min(highest * 1.05 || wanted, wanted) || 1);
  const least = roundUp((promised ?? 0) * 1.25);
  return { top: Math.max(top, promised ? least : top), highest };
}

const SPANS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 345600, 604800, 1209600, 2592000];

/** Moments for an axis of time: round ones of a zone `offset` seconds ahead of UTC, at most so many. */
export function timeTicks(start, end, most, offset = 0) {
  const span = SPANS.find((one) => (end - start) / one <= most) ?? SPANS.at(-1);
  const ticks = [];
  for (let at = Math.ceil((start + offset) / span) * span - offset; at <= end; at += span) ticks.push(at);
  return { span, ticks };
}

/** Where a latency lies on an axis of rows with these lower edges (ms), by its logarithm within its row; null outside. */
export function rowOf(edges, ms) {
  for (let row = 0; row + 1 < edges.length; row += 1) {
    const low = edges[row];
    const high = edges[row + 1];
    if (ms < low || (high !== null && ms >= high)) continue;
    if (!low || high === null) return row + 0.5;
    return row + Math.log(ms / low) / Math.log(high / low);
  }
  return null;
}

/** Round latencies among the edges, so that labels stand no closer than `apart` rows: [{row, ms}]. */
export function rowTicks(edges, apart = 2) {
  const round = edges.map((ms, row) => ({ row, ms })).filter(({ ms }) => ms && /^0*[.]?0*[125]0*$/.test(String(ms).replace(".", "")));
  const kept = [];
  for (const tick of round) if (!kept.length || tick.row - kept.at(-1).row >= apart) kept.push(tick);
  return kept;
}

/** Where the last known value stands; -1 where none is known. */
export function lastKnown(values) {
  for (let i = values.length - 1; i >= 0; i -= 1) if (values[i] !== null) return i;
  return -1;
}

/** A span cut out by dragging, in whole minutes and at least five of them. */
export function dragged(from, to) {
  const start = Math.floor(Math.min(from, to) / 60) * 60;
  const end = Math.ceil(Math.max(from, to) / 60) * 60;
  return { start, end: Math.max(end, start + 300) };
}

/** The range that a URL names for a span: 37m, 6h, 7d. */
export function rangeName(seconds) {
  if (seconds % 86400 === 0 && seconds > 86400) return `${seconds / 86400}d`;
  if (seconds % 3600 === 0) return `${seconds / 3600}h`;
  return `${Math.round(seconds / 60)}m`;
}

/** 2026-11-21T12:00Z. */
export function stamp(unix) {
  return new Date(unix * 1000).toISOString().replace(/:00\.000Z$/, "Z").replace(/\.000Z$/, "Z");
}

/** How long a step is, in words: 2 min, 3 h, 1 d. */
export function stepName(seconds) {
  if (seconds % 86400 === 0) return filled(gettext("%(count)s d"), { count: seconds / 86400 });
  if (seconds % 3600 === 0) return filled(gettext("%(count)s h"), { count: seconds / 3600 });
  return filled(gettext("%(count)s min"), { count: seconds / 60 });
}
