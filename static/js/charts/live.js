// Asks for the page's data every so often while somebody looks, and says honestly how old what they see is.
import { duration } from "core/format.js";
import { filled, gettext } from "core/words.js";

const EVERY_MS = 10_000;
const STALE_MS = 35_000; // three missed answers

export function keepLive({ url, freshness, stale, onData }) {
  let last = Date.now();
  let asking = false;

  async function ask() {
    if (document.hidden || asking) return;
    asking = true;
    try {
      const response = await fetch(url(), { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(8000) });
      // Logged out meanwhile: the answer is the login page.
      if (response.redirected) location.reload();
      if (response.ok && !response.redirected) {
        onData(await response.json());
        last = Date.now();
      }
    } catch {
      // No answer is told by its age, below.
    } finally {
      asking = false;
      say();
    }
  }
  function say() {
    const age = Math.floor((Date.now() - last) / 1000);
    freshness.textContent = filled(gettext("updated %(time)s ago"), { time: duration(age) });
    stale.hidden = Date.now() - last < STALE_MS;
    if (!stale.hidden) stale.textContent = filled(gettext("No answer from the server for %(seconds)s s: this page is not live."), { seconds: age });
  }
  setInterval(ask, EVERY_MS);
  setInterval(() => document.hidden || say(), 1000);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Date.now() - last > EVERY_MS) ask();
  });
  say();
}
