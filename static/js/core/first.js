// Before the first paint, so a classic script: the theme that was chosen, or the system's.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // Storage may be closed to us: the system's theme it is.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : dark ? "dark" : "light";
})();
