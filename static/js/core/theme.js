// Light, dark, or as the system has it. `first.js` sets it before the first paint; this changes it.

const ORDER = ["auto", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

export function chosen() {
  try {
    const kept = localStorage.getItem("theme");
    return ORDER.includes(kept) ? kept : "auto";
  } catch {
    return "auto";
  }
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

function say(button, name) {
  button.setAttribute("aria-label", `Theme: ${name}`);
  button.title = `Theme: ${name}`;
}

export function startTheme(button) {
  let name = chosen();
  system.addEventListener("change", () => name === "auto" && show(name));
  if (!button) return;
  say(button, name);
  button.addEventListener("click", () => {
    name = ORDER[(ORDER.indexOf(name) + 1) % ORDER.length];
    keep(name);
    show(name);
    say(button, name);
  });
}
