// The list of incidents and the page of one: live, and filters that act when they are chosen.
import { startRefresh } from "core/refresh.js";

startRefresh({ stale: document.getElementById("stale") });

// By delegation: the filters are replaced with the list.
document.addEventListener("change", (event) => {
  if (event.target.matches?.("[data-submits]")) event.target.form.requestSubmit();
});
