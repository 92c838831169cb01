// The frame that all charts over time share: axes with units, aligned left edges, bands, no animation.
import {
  BarController, BarElement, Chart, Filler, LineController, LineElement, LinearScale, PointElement,
} from "chart.js";
import annotation from "chartjs-plugin-annotation";
import { timeTicks } from "charts/series.js";
import { hatch, soft, token } from "charts/tokens.js";
import { zone } from "core/clock.js";
import { decimal } from "core/format.js";
import { locale } from "core/words.js";

Chart.register(BarController, BarElement, Filler, LineController, LineElement, LinearScale, PointElement, annotation);
export { Chart };

// As wide as "1,500 IOPS": charts below each other begin at the same place.
const Y_WIDTH = 76;
const SIZE = 11.5;

/** Seconds that the chosen zone is ahead of UTC at a moment. */
export function offsetAt(unix, name = zone()) {
  if (name === "UTC") return 0;
  const at = new Date(Math.floor(unix) * 1000);
  const there = new Date(at.toLocaleString("en-US", { timeZone: name }));
  const here = new Date(at.toLocaleString("en-US", { timeZone: "UTC" }));
  return Math.round((there - here) / 1000);
}

/** 08:00 or 21 Nov, as a tick of a span of time. */
export function tickLabel(unix, span) {
  const timeZone = zone();
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone });
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone });
  const text = clock.format(unix * 1000);
  if (span >= 86400) return day.format(unix * 1000);
  return span >= 7200 && text === "00:00" ? day.format(unix * 1000) : text;
}

export const font = () => ({ family: "Inter, system-ui, sans-serif", size: SIZE });

export function timeAxis(start, end) {
  let span = 60;
  return {
    type: "linear",
    min: start,
    max: end,
    border: { color: token("grid") },
    grid: { display: false },
    ticks: {
      color: token("text-muted"), font: font(), maxRotation: 0, autoSkip: false, padding: 4,
      callback: (value) => tickLabel(value, span),
    },
    afterBuildTicks(axis) {
      const made = timeTicks(axis.min, axis.max, Math.max(2, Math.floor(axis.chart.width / 88)), offsetAt(axis.min));
      span = made.span;
      // A label that would hang over an edge would move the plot: it is left out.
      const room = (axis.max - axis.min) / Math.max(1, axis.chart.width - Y_WIDTH) * 20;
      axis.ticks = made.ticks.filter((at) => at >= axis.min && at <= axis.max - room).map((value) => ({ value }));
    },
  };
}

export function valueAxis(unit, { max, suggestedMax, min = 0, digits, most = 5 } = {}) {
  const written = (value) => `${decimal(value, digits ?? 2)}${unit ? ` ${unit}` : ""}`;
  return {
    type: "linear",
    min, max, suggestedMax,
    border: { display: false },
    grid: { color: token("grid"), tickLength: 0 },
    ticks: { color: token("text-muted"), font: font(), padding: 8, maxTicksLimit: most, includeBounds: false, callback: (value) => written(value) },
    afterFit(axis) {
      axis.width = Y_WIDTH;
    },
  };
}

/** A level of the contract: dashed, over the part of the span where that version was in force. */
export function level(value, start, end, colour) {
  return {
    type: "line", xMin: start, xMax: end, yMin: value, yMax: value,
    borderColor: colour, borderWidth: 1.5, borderDash: [5, 4], drawTime: "afterDatasetsDraw",
  };
}

/** Bands behind the lines: {state, start, end}; excused is hatched, breached is tinted. */
export const bands = {
  id: "bands",
  beforeDatasetsDraw(chart) {
    const { ctx, chartArea: area, scales: { x } } = chart;
    for (const { state, start, end } of chart.options.plugins.bands?.list ?? []) {
      const left = Math.max(area.left, x.getPixelForValue(start));
      const right = Math.min(area.right, x.getPixelForValue(end));
      if (right <= left) continue;
      ctx.fillStyle = state === "breached" ? soft("state-breached", 0.13)
        : state === "contention" ? soft("state-at-risk", 0.22)
        : state === "probe" ? soft("chart-3", 0.16)
        : hatch(ctx, state === "maintenance" ? "state-maintenance" : "state-excused", 0.28);
      ctx.fillRect(left, area.top, Math.max(1, right - left), area.bottom - area.top);
    }
  },
};

export function options({ x, y, lines = {}, list = [] }) {
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    normalized: true,
    parsing: false,
    spanGaps: false,
    events: [],
    layout: { padding: { top: 6, right: 8 } },
    scales: { x, y },
    plugins: { annotation: { annotations: lines, clip: true }, bands: { list } },
  };
}

export function line(data, colour, more = {}) {
  return { data, borderColor: colour, borderWidth: 1.5, pointRadius: 0, pointBackgroundColor: colour, pointBorderWidth: 0, tension: 0, ...more };
}
