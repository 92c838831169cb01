// Before the first paint, so a classic script: the theme that was chosen, or the system's, and that there are scripts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // Storage may be closed to us: the system's theme it is.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  // Without scripts nothing opens what is folded away: the styles fold only where there are some.
  document.documentElement.dataset.scripts = "on";
  document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : dark ? "dark" : "light";
})();
