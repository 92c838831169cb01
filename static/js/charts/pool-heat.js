// Disks down, time across, the darker the slower against the disk's own past at that load; windows are outlined.
import { Chart, font, options, timeAxis } from "charts/frame.js";
import { token, soft } from "charts/tokens.js";
import { MatrixController, MatrixElement } from "chartjs-chart-matrix";

Chart.register(MatrixController, MatrixElement);

const ROW_PX = 16;

/** 0 … 1: how dark a slowdown is; as usual (under ×1.2) is nearly nothing, ×4 is all. */
export function darkness(times) {
  if (!(times > 1)) return 0.05;
  return Math.min(1, 0.05 + Math.max(0, Math.log(times / 1.05)) / Math.log(4 / 1.05));
}

/** Rectangles of windows: of the whole pool all rows, of one disk its own; those of disks not shown are left out. */
export function outlines(windows, disks, range) {
  return windows.flatMap(({ disk, start, end }) => {
    const row = disk === null ? null : disks.findIndex(({ id }) => id === disk);
    if (row === -1) return [];
    return [{ x0: Math.max(range.start, start), x1: Math.min(range.end, end ?? range.end), y0: row ?? 0, y1: row === null ? disks.length : row + 1 }];
  }).filter(({ x0, x1 }) => x1 > x0);
}

const frames = {
  id: "frames",
  afterDatasetsDraw(chart) {
    const { ctx, scales: { x, y } } = chart;
    ctx.save();
    ctx.strokeStyle = token("text");
    ctx.lineWidth = 1.5;
    for (const { x0, x1, y0, y1 } of chart.options.plugins.frames?.list ?? []) {
      const [left, right, top, bottom] = [x.getPixelForValue(x0), x.getPixelForValue(x1), y.getPixelForValue(y0), y.getPixelForValue(y1)];
      ctx.strokeRect(left, top, Math.max(3, right - left), bottom - top);
    }
    ctx.restore();
  },
};

export function heightOf(data) {
  return Math.max(4, data.heat.disks.length) * ROW_PX + 36;
}

function config(data) {
  const { heat, range, windows } = data;
  const rows = Math.max(1, heat.disks.length);
  const x = { ...timeAxis(range.start, range.end), offset: false };
  const narrow = innerWidth < 620;
  const y = {
    type: "linear", min: 0, max: rows, reverse: true, offset: false, border: { display: false }, grid: { display: false },
    ticks: {
      color: token("text-muted"), font: font(), padding: 6, autoSkip: false,
      callback: (value) => {
        const name = heat.disks[Math.floor(value)]?.name.replace(" / ", "/") ?? "";
        return narrow && name.length > 12 ? `…${name.slice(-11)}` : name;
      },
    },
    afterBuildTicks(axis) {
      axis.ticks = heat.disks.map((_, i) => ({ value: i + 0.5 }));
    },
    afterFit(axis) {
      axis.width = narrow ? 92 : 140;
    },
  };
  const size = (length, scale) => Math.max(1, Math.abs(scale.getPixelForValue(scale.min + length) - scale.getPixelForValue(scale.min)) - 1);
  const given = options({ x, y });
  given.plugins.frames = { list: outlines(windows, heat.disks, range) };
  return {
    datasets: [{
      data: heat.cells.map(([column, row, times]) => ({ x: heat.start + (column + 0.5) * heat.step_s, y: row + 0.5, v: times })),
      backgroundColor: ({ raw }) => soft(raw?.v >= 1.2 ? "state-breached" : "text-muted", darkness(raw?.v)),
      borderWidth: 0, clip: 0,
      width: ({ chart }) => (chart.scales.x ? size(heat.step_s, chart.scales.x) : 1),
      height: ({ chart }) => (chart.scales.y ? size(1, chart.scales.y) : 1),
    }],
    options: given,
  };
}

/** The cell under a point of the canvas: {disk, at, times} or null. */
export function cellAt(chart, data, px, py) {
  const { x, y } = chart.scales;
  const column = Math.floor((x.getValueForPixel(px) - data.heat.start) / data.heat.step_s);
  const row = Math.floor(y.getValueForPixel(py));
  const cell = data.heat.cells.find((one) => one[0] === column && one[1] === row);
  return cell ? { disk: data.heat.disks[row], at: data.heat.start + column * data.heat.step_s, times: cell[2] } : null;
}

export function poolHeat(canvas, data) {
  const { datasets, options: given } = config(data);
  return new Chart(canvas, { type: "matrix", data: { datasets }, options: given, plugins: [frames] });
}

export function redraw(chart, data) {
  const { datasets, options: given } = config(data);
  chart.data.datasets = datasets;
  chart.options = given;
  chart.update("none");
}
