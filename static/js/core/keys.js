// "/" goes to the search box, Escape closes what is open.

const typing = (element) => element?.matches?.("input, textarea, select, [contenteditable]");

export function startKeys(find, menu) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !typing(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      find?.focus();
      find?.select();
    } else if (event.key === "Escape") {
      if (menu?.open) {
        menu.open = false;
        menu.querySelector("summary").focus();
      } else if (event.target === find) {
        find.blur();
      }
    }
  });
  document.addEventListener("click", (event) => {
    if (menu?.open && !menu.contains(event.target)) menu.open = false;
  });
}
