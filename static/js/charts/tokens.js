// The page's colours for canvases, read from the CSS custom properties so that a theme is written once.

export function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A token's colour, so opaque (0..1). */
export function soft(name, alpha) {
  const [r, g, b] = token(name).match(/[0-9a-f]{2}/gi).slice(0, 3).map((part) => parseInt(part, 16));
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}

/** A pattern of slanted lines: what is excused is hatched wherever it shows. */
export function hatch(context, name, alpha = 0.55) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.fillStyle = soft(name, 0.12);
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = soft(name, alpha);
  pen.lineWidth = 1;
  pen.beginPath();
  for (const x of [-8, 0, 8]) {
    pen.moveTo(x, 8);
    pen.lineTo(x + 8, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}
