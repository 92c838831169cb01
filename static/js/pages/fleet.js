import { showAlarm, startRefresh } from "core/refresh.js";

const title = document.title;
const live = document.getElementById("live");

startRefresh({
  freshness: document.getElementById("freshness"),
  stale: document.getElementById("stale"),
  onRefresh: () => showAlarm(Number(live.querySelector("[data-breached]")?.dataset.breached ?? 0), title),
});

// A choice in a filter is a new address; without scripts the form's button does it.
for (const select of document.querySelectorAll("[data-submits]")) {
  select.addEventListener("change", () => select.form.requestSubmit());
}
