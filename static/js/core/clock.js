// The clock of the bar, and every moment on the page in the zone that was chosen: UTC, or the reader's own: that of
// their account, else the browser's.
import { duration, moment, timeOfDay } from "core/format.js";

const mine = document.documentElement.dataset.zone || Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
let own = kept();

function kept() {
  try {
    return localStorage.getItem("zone") === "mine";
  } catch {
    return false;
  }
}

/** The zone that moments are shown in: "UTC" or a name like "Europe/Prague". */
export function zone() {
  return own ? mine : "UTC";
}

const SHOWS = {
  clock: (unix) => timeOfDay(unix, zone(), { named: false }), // where the zone stands in the bar above
  time: (unix) => timeOfDay(unix, zone()),
  moment: (unix) => moment(unix, zone()),
};

/** Every <time data-show="clock|time|moment"> and every [data-since] within `root`. */
export function showMoments(root = document) {
  for (const element of root.querySelectorAll("time[data-show]")) {
    element.textContent = SHOWS[element.dataset.show](Date.parse(element.dateTime) / 1000);
  }
  showAges(root);
}

function showAges(root = document) {
  const now = Date.now() / 1000;
  for (const element of root.querySelectorAll("[data-since]")) {
    const text = duration(now - Number(element.dataset.since));
    if (element.textContent !== text) element.textContent = text;
  }
}

export function startClock(face, button) {
  const tick = () => {
    if (document.hidden) return;
    if (face) face.textContent = timeOfDay(Date.now() / 1000, zone(), { seconds: true });
    showAges();
  };
  showMoments();
  tick();
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
  document.addEventListener("htmx:afterSwap", () => showMoments());
  button?.addEventListener("click", () => {
    own = !own;
    try {
      localStorage.setItem("zone", own ? "mine" : "utc");
    } catch {
      // Without storage it lasts as long as this page.
    }
    showMoments();
    tick();
    document.dispatchEvent(new CustomEvent("zonechange", { detail: { zone: zone() } }));
  });
}
