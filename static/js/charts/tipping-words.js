// What does the tipping point say in a sentence? Pure.
import { count } from "../core/format.js";
import { filled, gettext, ngettext } from "../core/words.js";

/** A capacity is never rounded up. */
const whole = (value) => count(Math.floor(value));

/** `got`: the answer of the tipping-point path. */
export function tippingWords(got) {
  if (!got.points.length || got.threshold_ms === null) return "";
  const { p99_iops: p99, mean_iops: mean } = got.knee;
  const limit = filled(gettext("%(count)s ms"), { count: got.threshold_ms });
  if (p99 !== null && mean !== null) return filled(gettext("The 99th percentile crosses %(limit)s at about %(p99)s IOPS, the mean at %(mean)s."), { limit, p99: whole(p99), mean: whole(mean) });
  if (p99 !== null) return filled(gettext("The 99th percentile crosses %(limit)s at about %(p99)s IOPS."), { limit, p99: whole(p99) });
  if (mean !== null) return filled(gettext("The mean crosses %(limit)s at about %(mean)s IOPS."), { limit, mean: whole(mean) });
  const beyond = filled(gettext("No load up to %(load)s IOPS made it slower than %(limit)s: the tipping point lies beyond."), { load: whole(got.highest_iops), limit });
  const over = got.minutes_over ?? 0;
  if (!over) return beyond;
  const slow = ngettext("%(count)s minute was over %(limit)s on the mean, at a load it otherwise carried in time.", "%(count)s minutes were over %(limit)s on the mean, at loads it otherwise carried in time.", over);
  return `${beyond} ${filled(slow, { count: whole(over), limit })}`;
}
