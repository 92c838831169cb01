// The bar of the last days: how each was by its sums. A day opens as the page's range.
import { timeline } from "charts/timeline.js";
import { stateWord } from "core/states.js";
import { filled, gettext, locale } from "core/words.js";

/** "Fri, 20 Nov 2026": days are UTC's, whatever zone is chosen. */
export function dayName(unix) {
  return new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(unix * 1000);
}

/** What a day was, in words. */
export function dayText({ start, step_s: step, states, proved, low, high }, i) {
  const name = dayName(start + i * step);
  if (states[i] === null) return filled(gettext("%(when)s: nothing yet"), { when: name });
  const proof = ["breached", "met"].includes(states[i]) ? `, ${proved[i] ? gettext("proved") : gettext("likely")}` : "";
  const range = low[i] === high[i] ? `${low[i]} %` : `${low[i]}–${high[i]} %`;
  const inTime = filled(gettext("%(share)s in time"), { share: range });
  const share = low[i] === null ? "" : `, ${inTime}`;
  return `${name}: ${stateWord(states[i])}${proof}${share}`;
}

const cells = (days) => days.states.map((state, i) => ({ state, likely: state === "breached" && !days.proved[i], text: dayText(days, i) }));

/** Fills the bar once the days have come. `onDays(days)`; `onPick(start, step)` with the day's first second. */
export async function daysBar(root, { onDays, onPick }) {
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const answer = await fetch(root.dataset.source, { headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer?.ok || answer.redirected) {
    part("note").textContent = part("note").dataset.failed;
    return;
  }
  const days = await answer.json();
  onDays(days);
  timeline(part("bar"), cells(days), {
    onShow: (i) => {
      part("readout").textContent = i === null ? "" : dayText(days, i);
      root.classList.toggle("pointed", i !== null);
    },
    onPick: (i) => days.states[i] !== null && onPick(days.start + i * days.step_s, days.step_s),
  });
}
