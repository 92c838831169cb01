import { zone } from "core/clock.js";
import { timeOfDay } from "core/format.js";
import { showAlarm, startRefresh } from "core/refresh.js";
import { stateWord } from "core/states.js";
import { gettext } from "core/words.js";

const title = document.title;

startRefresh({
  stale: document.getElementById("stale"),
  onRefresh: () => {
    const { breached, total } = document.getElementById("top").dataset;
    showAlarm(Number(breached), title);
    // The first disk has come: the page has no list yet to put it in.
    if (Number(total) && !document.getElementById("rows")) location.reload();
  },
});

// A choice in a filter is a new address; without scripts the form's button does it.
for (const select of document.querySelectorAll("[data-submits]")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}

// The minute under the pointer. By delegation: the strips are replaced every ten seconds.
document.addEventListener("pointermove", (event) => {
  const strip = event.target.closest?.(".strip-cell")?.querySelector(".strip");
  if (!strip) return;
  const box = strip.getBoundingClientRect();
  const kinds = strip.dataset.kinds.split(" ");
  const share = (event.clientX - box.left) / box.width;
  const place = Math.min(kinds.length - 1, Math.max(0, Math.floor(share * kinds.length)));
  const kind = kinds[place];
  const text = `${timeOfDay(Number(strip.dataset.start) + 60 * place, zone())} ${kind === "likely" ? gettext("breached, likely") : stateWord(kind)}`;
  if (strip.parentElement.title !== text) strip.parentElement.title = text;
});
