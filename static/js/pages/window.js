// One window's evidence.
import { multiples } from "charts/multiples.js";

multiples(document.getElementById("multiples"), JSON.parse(document.getElementById("pool-data").textContent).card);
