// The places of the bar on a small screen: a button opens them as a sheet; Escape or a touch beside it closes them.

export function startPlaces(button, places) {
  if (!button || !places) return;
  const show = (open) => {
    places.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => show(!places.classList.contains("open")));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !places.classList.contains("open")) return;
    show(false);
    button.focus();
  });
  document.addEventListener("click", (event) => {
    if (!places.contains(event.target) && !button.contains(event.target)) show(false);
  });
  places.addEventListener("focusout", (event) => {
    const next = event.relatedTarget;
    if (next && !places.contains(next) && next !== button) show(false);
  });
}
