// Keeps a page live and honest: asks every so often while it is looked at, says how old it is, and says when it is
// stale. The page's htmx element listens for the "refresh" event on the body.
import { duration } from "core/format.js";
import { filled, gettext } from "core/words.js";

const EVERY_MS = 10_000;
const STALE_MS = 35_000; // three missed answers

/** Every `.freshness` says how old the page is; `stale` is shown when it is too old; `onRefresh` runs after each. */
export function startRefresh({ stale, onRefresh = () => {} }) {
  let last = Date.now();
  const ask = () => document.hidden || document.body.dispatchEvent(new CustomEvent("refresh"));
  const say = () => {
    const age = Date.now() - last;
    for (const words of document.querySelectorAll(".freshness")) {
      words.textContent = filled(gettext("updated %(time)s ago"), { time: duration(age / 1000) });
    }
    if (stale) stale.hidden = age < STALE_MS;
  };
  document.addEventListener("htmx:afterSwap", (event) => {
    // What stands beside the page's own part says nothing of that part's age.
    if (event.detail.target?.closest?.("[data-aside]")) return;
    last = Date.now();
    say();
    onRefresh();
  });
  // Logged out meanwhile: the answer is the login page, whole.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.responseURL.includes("/login")) {
      event.detail.shouldSwap = false;
      location.reload();
    }
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Date.now() - last > EVERY_MS) ask();
  });
  setInterval(ask, EVERY_MS);
  setInterval(() => document.hidden || say(), 1000);
  onRefresh();
}

/** Title and icon tell a breach to someone who looks at another tab. */
export function showAlarm(breached, title) {
  document.title = breached ? `▲ ${filled(gettext("%(count)s breached"), { count: breached })} · ${title}` : title;
  const icon = document.querySelector("link[rel=icon]");
  const wanted = breached ? icon.dataset.alarm : icon.dataset.calm;
  if (icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
}
