// One minute of the disk: its seconds by their word, and the figures of the minute with their formulas.
import { Chart, options, valueAxis } from "charts/frame.js";
import { quantile, roundUp } from "charts/series.js";
import { timeline } from "charts/timeline.js";
import { token } from "charts/tokens.js";
import { fillTable, figure, twin } from "charts/twin.js";
import { zone } from "core/clock.js";
import { count, DASH, milliseconds, moment, timeOfDay } from "core/format.js";
import { stateWord } from "core/states.js";
import { filled, gettext, ngettext } from "core/words.js";

const COLOURS = { normal: "chart-1", pro_rata: "cell-excused", excused: "cell-excused", under_delivery: "state-at-risk", stalled: "state-breached", idle: "cell-idle", unknown: "cell-no-data" };

/** `word`: of the second's case. */
function sentence(second, word) {
  const at = timeOfDay(second.t, zone(), { seconds: true });
  if (second.case === "unknown") return filled(gettext("%(when)s: unknown, nobody looked"), { when: at });
  const slow = second.slow.low === second.slow.high ? count(second.slow.estimate) : `${count(second.slow.low)}–${count(second.slow.high)}`;
  const said = [word, filled(gettext("%(count)s I/Os"), { count: count(second.ios) }), milliseconds(second.await_ms), filled(gettext("%(count)s slow"), { count: slow })];
  if (second.lost_ms) said.push(filled(gettext("%(time)s lost"), { time: milliseconds(second.lost_ms) }));
  return `${at}: ${said.join(" · ")}`;
}

function bars(seconds, name) {
  return [{
    data: seconds.map((second, i) => ({ x: i, y: second[name] })),
    backgroundColor: seconds.map((second) => token(COLOURS[second.case])),
    barPercentage: 1, categoryPercentage: 0.8, borderWidth: 0,
  }];
}

function axisOf(seconds) {
  return {
    type: "linear", offset: false, min: -0.5, max: seconds.length - 0.5, grid: { display: false }, border: { color: token("grid") },
    ticks: { color: token("text-muted"), stepSize: 15, autoSkip: false, maxRotation: 0, callback: (i) => (Number.isInteger(i) && seconds[i] ? `:${String(seconds[i].t % 60).padStart(2, "0")}` : "") },
    afterBuildTicks: (axis) => {
      axis.ticks = seconds.map((_, i) => i).filter((i) => i % 15 === 0).map((value) => ({ value }));
    },
  };
}

function settings(seconds, name, unit, promised) {
  const most = quantile(seconds.map((second) => second[name]), 1) ?? 0;
  const lines = promised ? {
    promised: { type: "line", yMin: promised, yMax: promised, borderColor: token(unit === "ms" ? "state-breached" : "text-muted"), borderWidth: 1.5, borderDash: [5, 4] },
  } : {};
  return options({ x: axisOf(seconds), y: valueAxis(unit, { max: roundUp(Math.max(most, promised ?? 0) * 1.1), most: 3 }), lines });
}

const put = (tag, text, className = "") => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
};

/** The panel: `show(from, to)` asks for the minute there (or the worst of a longer cell) and lays it out. */
export function minutePanel(root, { onShown, onClosed }) {
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const charts = {};
  let bar = null;
  let told = null;
  const wordOf = (second) => told.cases.find((one) => one.case === second.case)?.word ?? second.case;
  const refreshTwin = twin(root.querySelector("details"), (table) => told && fillTable(
    table, [gettext("Second"), gettext("Word"), gettext("I/Os"), gettext("Mean, ms"), gettext("Queue"), gettext("Covered"), gettext("Slow"), gettext("Lost, ms")],
    told.seconds.map((s) => [timeOfDay(s.t, zone(), { seconds: true }), wordOf(s), figure(s.ios), figure(s.await_ms), figure(s.aqu_sz), figure(s.eligible), s.slow ? `${figure(s.slow.low)}–${figure(s.slow.high)}` : DASH, figure(s.lost_ms)]),
    gettext("Each step of the minute"),
  ));

  function draw(name, field, unit, promised) {
    const given = settings(told.seconds, field, unit, promised);
    if (charts[name]) {
      charts[name].data.datasets = bars(told.seconds, field);
      charts[name].options = given;
      charts[name].update("none");
    } else {
      charts[name] = new Chart(part(name), { type: "bar", data: { datasets: bars(told.seconds, field) }, options: given });
    }
  }

  function words() {
    const { slot } = told;
    part("when").textContent = `${moment(told.t, zone())}${told.chosen ? `, ${told.chosen}` : ""}`;
    const state = part("state");
    state.className = `state state-${slot?.state ?? "no_data"}`;
    state.replaceChildren();
    const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `#i-${slot?.state ?? "no_data"}`);
    icon.setAttribute("aria-hidden", "true");
    icon.append(use);
    const word = stateWord(slot?.state ?? "no_data");
    const proof = ["met", "breached"].includes(slot?.state) ? `, ${slot.proved ? gettext("proved") : gettext("likely")}` : "";
    state.append(icon, `${word[0].toUpperCase()}${word.slice(1)}${proof}`);
    part("because").textContent = told.because ?? gettext("not scored yet");
    part("figures").replaceChildren(...told.figures.flatMap(({ word: name, value, is }) => {
      const row = document.createElement("div");
      row.append(put("dt", name), put("dd", value, "number"), put("dd", is, "muted formula"));
      return [row];
    }));
    part("cases").replaceChildren(...told.cases.map(({ case: name, word: text, seconds }) => {
      const item = put("li", `${text} ${filled(gettext("%(count)s s"), { count: seconds })}`);
      item.prepend(put("span", "", `key cell-${name}`));
      return item;
    }));
    const [frame] = told.frames;
    const grade = slot ? filled(gettext("grade %(grade)s"), { grade: slot.grade }) : "";
    const coarsest = frame?.coarsest_ms ? filled(gettext("read every %(time)s at the coarsest"), { time: milliseconds(frame.coarsest_ms) }) : "";
    part("frames").textContent = frame
      ? filled(gettext("Evidence: %(evidence)s"), { evidence: [grade, frame.source, coarsest, filled(gettext("in-flight rule “%(rule)s”"), { rule: frame.in_flight_rule })].filter(Boolean).join(" · ") })
      : gettext("The seconds are not kept any longer: these are the minute's own figures.");
  }

  function lay(answer) {
    told = answer;
    part("body").hidden = part("close").hidden = false;
    part("hint").hidden = true;
    words();
    const cells = told.seconds.map((second) => ({ state: second.case, text: sentence(second, wordOf(second)) }));
    const say = (i) => {
      const { length } = told.seconds;
      part("readout").textContent = i === null || !told.seconds[i] ? filled(ngettext("%(count)s second", "%(count)s seconds", length), { count: length }) : cells[i].text;
    };
    const hasSeconds = told.seconds.length > 0;
    part("bar").hidden = !hasSeconds;
    for (const canvas of root.querySelectorAll(".plot-second")) canvas.hidden = !hasSeconds;
    say(null);
    if (bar) bar.update(cells);
    else bar = timeline(part("bar"), cells, { onShow: say });
    if (hasSeconds) {
      const { terms } = told;
      draw("latency", "await_ms", "ms", terms ? Math.max(terms.read_threshold_ms, terms.write_threshold_ms) : null);
      draw("load", "ios", "IOPS", terms?.iops ?? null);
    }
    refreshTwin();
  }

  async function show(from, to) {
    const response = await fetch(`${root.dataset.url}?from=${from}&to=${to}`, { headers: { Accept: "application/json" } });
    if (!response.ok) return;
    const { minute } = await response.json();
    if (minute === null) {
      close();
      part("hint").textContent = gettext("Nothing is stored of that minute.");
      return;
    }
    lay(minute);
    onShown(minute);
  }

  function close() {
    part("body").hidden = part("close").hidden = true;
    part("hint").hidden = false;
    part("when").textContent = "";
    onClosed();
  }
  part("close").addEventListener("click", close);
  for (const name of ["themechange", "zonechange"]) document.addEventListener(name, () => told && !part("body").hidden && lay(told));
  return { show };
}

