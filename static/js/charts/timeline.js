// A bar of states: one cell a step. One stop of the tab key; arrows go from cell to cell and say what each one was.
import { gettext } from "core/words.js";

/**
 * `cells`: [{state, text, weight?}], state null where there is nothing yet; weight under 1 for one cut by the range. `onShow(index | null)`, `onPick(index)`.
 * Returns {update(cells)}; the element is a slider whose value is a cell.
 */
export function timeline(root, cells, { onShow = () => {}, onPick = () => {} } = {}) {
  let now = cells;
  let at = null;

  const build = () => {
    root.replaceChildren(...now.map(({ state, likely, weight = 1 }, i) => {
      const cell = document.createElement("span");
      cell.className = `cell cell-${state ?? "none"}${likely ? " likely" : ""}`;
      cell.dataset.i = i;
      if (weight < 1) cell.style.flexGrow = weight;
      return cell;
    }));
    root.setAttribute("aria-valuemax", Math.max(0, now.length - 1));
    root.classList.toggle("dense", now.length > 150);
    mark(at ?? lastStarted());
  };
  const lastStarted = () => Math.max(0, now.findLastIndex(({ state }) => state !== null));
  const mark = (i) => {
    root.setAttribute("aria-valuenow", i);
    root.setAttribute("aria-valuetext", now[i]?.text ?? gettext("nothing yet"));
  };
  const go = (i) => {
    at = Math.min(now.length - 1, Math.max(0, i));
    root.querySelector(".here")?.classList.remove("here");
    root.children[at]?.classList.add("here");
    mark(at);
    onShow(at);
  };
  const leave = () => {
    root.querySelector(".here")?.classList.remove("here");
    onShow(null);
  };

  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 12, PageDown: -12 };
  root.addEventListener("keydown", (event) => {
    const from = at ?? lastStarted();
    if (event.key in steps) go(from + steps[event.key]);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(lastStarted());
    else if (event.key === "Enter" || event.key === " ") onPick(from);
    else return;
    event.preventDefault();
  });
  const cellOf = (event) => event.target.closest(".cell")?.dataset.i;
  root.addEventListener("pointermove", (event) => {
    const i = cellOf(event);
    if (i !== undefined) go(Number(i));
  });
  root.addEventListener("pointerleave", leave);
  root.addEventListener("blur", leave);
  root.addEventListener("click", (event) => {
    const i = cellOf(event);
    if (i !== undefined) onPick(Number(i));
  });
  build();
  return {
    update(cells_) {
      const same = cells_.length === now.length && cells_.every((cell, i) => cell.state === now[i].state && cell.likely === now[i].likely && cell.weight === now[i].weight);
      now = cells_;
      if (same) mark(at ?? lastStarted());
      else build();
    },
  };
}
