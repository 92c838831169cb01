// What joins the charts of a page: one cross-hair over all, zoom by drag, a click that picks a moment.
import { dragged } from "charts/series.js";
import { soft, token } from "charts/tokens.js";

const LEAST_DRAG_PX = 6;

/** `onHover(moment | null)`, `onPick(moment)`, `onZoom({start, end})`; moments in Unix seconds. */
export function makeLink({ onHover, onPick, onZoom }) {
  const charts = new Set();
  let moment = null;
  let drag = null;

  const show = (at) => {
    if (at === moment) return;
    moment = at;
    onHover(at);
    for (const chart of charts) chart.draw();
  };
  const momentOf = (chart, x) => {
    const { left, right } = chart.chartArea;
    return chart.scales.x.getValueForPixel(Math.min(right, Math.max(left, x)));
  };

  function listen(chart) {
    const { canvas } = chart;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.offsetX < chart.chartArea.left) return;
      drag = { chart, from: event.offsetX, to: event.offsetX, touch: event.pointerType === "touch" };
      if (!drag.touch) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag?.chart === chart && !drag.touch) {
        drag.to = event.offsetX;
        chart.draw();
      }
      const { left, right } = chart.chartArea;
      show(event.offsetX < left || event.offsetX > right ? null : momentOf(chart, event.offsetX));
    });
    canvas.addEventListener("pointerleave", () => show(null));
    canvas.addEventListener("pointercancel", () => {
      drag = null;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag?.chart !== chart) return;
      const { from, touch } = drag;
      drag = null;
      chart.draw();
      if (touch || Math.abs(event.offsetX - from) < LEAST_DRAG_PX) onPick(momentOf(chart, event.offsetX));
      else onZoom(dragged(momentOf(chart, from), momentOf(chart, event.offsetX)));
    });
  }

  const plugin = {
    id: "link",
    afterInit(chart) {
      charts.add(chart);
      listen(chart);
    },
    afterDestroy: (chart) => charts.delete(chart),
    afterDatasetsDraw(chart) {
      const { ctx, chartArea, scales } = chart;
      if (drag?.chart === chart && Math.abs(drag.to - drag.from) >= LEAST_DRAG_PX) {
        const [a, b] = [drag.from, drag.to].map((x) => Math.min(chartArea.right, Math.max(chartArea.left, x)));
        ctx.fillStyle = soft("accent", 0.16);
        ctx.fillRect(Math.min(a, b), chartArea.top, Math.abs(b - a), chartArea.bottom - chartArea.top);
      }
      if (moment === null || moment < scales.x.min || moment > scales.x.max) return;
      const x = Math.round(scales.x.getPixelForValue(moment)) + 0.5;
      ctx.save();
      ctx.strokeStyle = token("text-muted");
      ctx.lineWidth = 1;
      ctx.setLineDash([2, 2]);
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      ctx.restore();
    },
  };
  return { plugin, show };
}
