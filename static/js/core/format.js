// Figures and moments as words of the reader's language. No clock. Unknown (null) is a dash, never 0.
import { filled, gettext, language, locale } from "./words.js";

export const DASH = "–";
const POINT = (1.5).toLocaleString(locale).charAt(1);
// American figures, British days: as the server writes them.
const FIGURES = language === "en" ? "en-US" : locale;
const LENGTHS = {
  d: (count) => filled(gettext("%(count)s d"), { count }),
  h: (count) => filled(gettext("%(count)s h"), { count }),
  min: (count) => filled(gettext("%(count)s min"), { count }),
};

/** 12 s, 5 min, 3 h, 2 d: how long, in the largest unit that leaves two or more. */
export function duration(seconds) {
  if (seconds === null || !Number.isFinite(seconds)) return DASH;
  const passed = Math.max(0, Math.floor(seconds));
  for (const [unit, length, least] of [["d", 86400, 172800], ["h", 3600, 7200], ["min", 60, 120]]) {
    if (passed >= least) return LENGTHS[unit](Math.floor(passed / length));
  }
  return filled(gettext("%(count)s s"), { count: passed });
}

/** A moment (Unix seconds) as 14:03 or 14:03:12 in a zone, the zone's name beside it unless told not to. */
export function timeOfDay(unix, zone = "UTC", { seconds = false, named = true } = {}) {
  if (unix === null || !Number.isFinite(unix)) return DASH;
  const parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone };
  if (seconds) parts.second = "2-digit";
  const clock = new Intl.DateTimeFormat("en-GB", parts).format(unix * 1000);
  return named ? `${clock} ${zoneName(unix, zone)}` : clock;
}

/** 21 Nov 2026 14:03 UTC. */
export function moment(unix, zone = "UTC") {
  if (unix === null || !Number.isFinite(unix)) return DASH;
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric", timeZone: zone });
  return `${day.format(unix * 1000)} ${timeOfDay(unix, zone)}`;
}

/** UTC, CET, GMT+2: what a zone is called at a moment. */
export function zoneName(unix, zone) {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "short" }).formatToParts(unix * 1000);
  return parts.find((part) => part.type === "timeZoneName").value;
}

/** 41,210,388. */
export function count(value) {
  return value === null || !Number.isFinite(value) ? DASH : Math.round(value).toLocaleString(FIGURES);
}

/** 1,250.5: a figure with so many places at most. */
export function decimal(value, digits = 2) {
  return value === null || !Number.isFinite(value) ? DASH : value.toLocaleString(FIGURES, { maximumFractionDigits: digits });
}

/** A share in percent, cut and never rounded up: 0.99996 is 99.99 %. */
export function percent(ratio, digits = 2) {
  if (ratio === null || !Number.isFinite(ratio)) return DASH;
  // Binary fractions: 0.57 * 100 is 56.99…; the shortest decimal form is what was meant.
  const [whole, part = ""] = plain(Math.abs(ratio)).split(".");
  const figures = (whole + part.padEnd(digits + 2, "0")).replace(/^0+(?=\d)/, "");
  const places = Math.max(part.length, digits + 2);
  let cut = BigInt(figures) / 10n ** BigInt(places - digits - 2);
  const exact = BigInt(figures) % 10n ** BigInt(places - digits - 2) === 0n;
  if (ratio < 0 && !exact) cut += 1n; // towards less
  const text = cut.toString().padStart(digits + 1, "0");
  const body = digits ? `${text.slice(0, -digits)}${POINT}${text.slice(-digits)}` : text;
  return `${ratio < 0 && cut > 0n ? "−" : ""}${body} %`;
}

/** Decimal digits without an exponent. */
function plain(value) {
  const text = String(value);
  return /e/.test(text) ? value.toFixed(20).replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** 0.94 ms, 9.4 ms, 61 ms, 1.2 s. */
export function milliseconds(value) {
  if (value === null || !Number.isFinite(value)) return DASH;
  if (value >= 1000) {
    return filled(gettext("%(count)s s"), { count: fixed(value / 1000, value < 10000 ? 1 : 0) });
  }
  return filled(gettext("%(count)s ms"), { count: fixed(value, value < 1 ? 2 : value < 10 ? 1 : 0) });
}

/** 2.0: a figure with just so many places. */
export function fixed(value, digits) {
  return value.toFixed(digits).replace(".", POINT);
}
