// What does the tipping point say in a sentence? Pure.
const whole = (value) => Math.floor(value).toLocaleString("en-US");

/** `got`: the answer of the tipping-point path. */
export function tippingWords(got) {
  if (!got.points.length || got.threshold_ms === null) return "";
  const { p99_iops: p99, mean_iops: mean } = got.knee;
  const limit = `${got.threshold_ms} ms`;
  if (p99 !== null) return `The 99th percentile crosses ${limit} at about ${whole(p99)} IOPS${mean === null ? "" : `, the mean at ${whole(mean)}`}.`;
  if (mean !== null) return `The mean crosses ${limit} at about ${whole(mean)} IOPS.`;
  const beyond = `No load up to ${whole(got.highest_iops)} IOPS made it slower than ${limit}: the tipping point lies beyond.`;
  const over = got.minutes_over ?? 0;
  return over ? `${beyond} ${whole(over)} minute${over === 1 ? " was" : "s were"} over ${limit} on the mean, at loads it otherwise carried in time.` : beyond;
}
