// The section of active tests: the newest test in steps as latency against load, a point a step.
import { axis, corner } from "charts/tipping.js";
import { Chart, options } from "charts/frame.js";
import { token } from "charts/tokens.js";
import { showMoments } from "core/clock.js";

// The threshold is a line to be seen, not the upper edge.
const HEADROOM = 1.5;

function config({ steps, threshold_ms: threshold, contract_iops: contract, knee_iops: knee }) {
  const line = (name, colour) => ({
    data: steps.filter((step) => step[name] > 0).map((step) => ({ x: step.iops, y: step[name] })),
    borderColor: colour, backgroundColor: colour, borderWidth: 1.5, pointRadius: 3, tension: 0,
  });
  const times = [...steps.flatMap((step) => [step.await_ms, step.p99_ms]), HEADROOM * threshold].filter((value) => value > 0);
  const loads = [...steps.map((step) => step.iops), contract].filter((value) => value > 0);
  const lines = corner({ threshold_ms: threshold, contract_iops: contract ?? undefined, knee: { p99_iops: knee, mean_iops: null } });
  if (contract === null) delete lines.load;
  return {
    datasets: [line("await_ms", token("chart-1")), line("p99_ms", token("chart-2"))],
    options: options({ x: axis("IOPS", "bottom", loads), y: axis("ms", "left", times), lines }),
  };
}

function draw(root) {
  const told = root.querySelector("#probe-steps");
  if (!told) return;
  const steps = JSON.parse(told.textContent);
  const first = config(steps);
  const chart = new Chart(root.querySelector("[data-part=probe-chart]"), { type: "line", data: { datasets: first.datasets }, options: first.options });
  document.addEventListener("themechange", () => {
    const fresh = config(steps);
    chart.data.datasets = fresh.datasets;
    chart.options = fresh.options;
    chart.update("none");
  });
}

async function fill(root) {
  try {
    const answer = await fetch(root.dataset.url, { headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    root.replaceChildren(...made.body.childNodes);
    showMoments(root);
    draw(root);
    if (location.hash === "#probes") root.scrollIntoView();
  } catch (error) {
    root.querySelector("[data-part=empty]").append(` (${error.message})`);
  }
}

fill(document.getElementById("probes"));
