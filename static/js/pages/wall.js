// The board turns its own page with each refresh; the address of the next one comes with the last.
import { showAlarm, startRefresh } from "core/refresh.js";

const title = document.title;

startRefresh({
  stale: document.getElementById("stale"),
  onRefresh: () => showAlarm(Number(document.getElementById("top").dataset.breached), title),
});
