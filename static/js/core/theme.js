// Light, dark, or as the system has it. `first.js` sets it before the first paint; this changes it.

import { gettext } from "core/words.js";

const ORDER = ["auto", "light", "dark"];
const WORDS = {
  auto: () => gettext("Theme: auto"),
  light: () => gettext("Theme: light"),
  dark: () => gettext("Theme: dark"),
};
const system = matchMedia("(prefers-color-scheme: dark)");
let current = kept();

function kept() {
  try {
    const name = localStorage.getItem("theme");
    return ORDER.includes(name) ? name : "auto";
  } catch {
    return "auto";
  }
}

/** "auto", "light" or "dark". */
export function chosen() {
  return current;
}

function keep(name) {
  try {
    localStorage.setItem("theme", name);
  } catch {
    // Without storage it lasts as long as this page.
  }
}

function show(name) {
  const dark = name === "dark" || (name === "auto" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  // Charts read their colours from the tokens: they draw again.
  document.dispatchEvent(new CustomEvent("themechange", { detail: { theme: dark ? "dark" : "light" } }));
}

/** Keep and show "auto", "light" or "dark". */
export function choose(name) {
  current = name;
  keep(name);
  show(name);
}

export function startTheme(button) {
  const say = () => {
    button.setAttribute("aria-label", WORDS[current]());
    button.title = WORDS[current]();
  };
  system.addEventListener("change", () => current === "auto" && show(current));
  if (!button) return;
  say();
  document.addEventListener("themechange", say);
  button.addEventListener("click", () => choose(ORDER[(ORDER.indexOf(current) + 1) % ORDER.length]));
}
