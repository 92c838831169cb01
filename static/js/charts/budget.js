// How much of the month's error budget is left: the line so far, its proved range, and what may have been spent by now.
import { Chart, font, line, options, valueAxis } from "charts/frame.js";
import { lastKnown } from "charts/series.js";
import { soft, token } from "charts/tokens.js";
import { zone } from "core/clock.js";
import { percent } from "core/format.js";
import { filled, gettext, locale } from "core/words.js";

const monthName = (period) => new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" }).format(Date.parse(`${period}-01`));
const dayNumber = (unix) => new Intl.DateTimeFormat("en-GB", { day: "numeric", timeZone: zone() }).format(unix * 1000);

function config({ budget }) {
  const along = (name) => budget.t.map((x, i) => ({ x, y: budget[name][i] }));
  const last = lastKnown(budget.left);
  const bad = last >= 0 && budget.left[last] < budget.ideal[last];
  const colour = token(bad ? "state-breached" : "chart-1");
  const least = Math.min(0, ...budget.left.filter((value) => value !== null));
  const y = valueAxis("", { min: Math.max(-1, Math.floor(least * 4) / 4), max: 1 });
  y.ticks.callback = (value) => `${Math.round(value * 100).toString().replace("-", "−")} %`;
  const x = {
    type: "linear", min: budget.start, max: budget.end, grid: { display: false }, border: { color: token("grid") },
    ticks: { color: token("text-muted"), font: font(), maxRotation: 0, autoSkip: false, padding: 4, callback: dayNumber },
    afterBuildTicks(axis) {
      const week = 5 * 86400;
      axis.ticks = [];
      for (let at = budget.start; at < budget.end - 43200; at += week) axis.ticks.push({ value: at });
    },
  };
  return {
    datasets: [
      line(along("left"), colour, { borderWidth: 2 }),
      line(along("high"), "transparent", { borderWidth: 0, fill: "+1", backgroundColor: soft(bad ? "state-breached" : "chart-1", 0.16) }),
      line(along("low"), "transparent", { borderWidth: 0 }),
      // What may be spent follows the I/O that came, and then goes straight to the month's end.
      line([...along("ideal").filter(({ y: v }) => v !== null), { x: budget.end, y: 0 }], token("text-muted"), { borderDash: [3, 4], borderWidth: 1 }),
    ],
    options: options({ x, y }),
  };
}

export const budget = {
  make: (canvas, data) => {
    const { datasets, options: given } = config(data);
    return new Chart(canvas, { type: "line", data: { datasets }, options: given });
  },
  config,
  note: ({ budget: b }) => (b ? monthName(b.period) : ""),
  caption: ({ budget: b }) => {
    if (!b) return "";
    const last = lastKnown(b.left);
    if (last < 0) return "";
    return [
      filled(gettext("Of the budget expected for the whole month %(left)s is left; %(ideal)s should be by now (dashed)."), { left: percent(b.left[last], 1), ideal: percent(b.ideal[last], 1) }),
      b.left[last] < b.ideal[last] ? gettext("Below the dashed line more was slow than the objective allows so far.") : "",
      gettext("Shaded: the range of proof."),
    ].filter(Boolean).join(" ");
  },
};
