// The outbox: keeps itself fresh.
import { startRefresh } from "core/refresh.js";

startRefresh({ stale: document.getElementById("stale") });
