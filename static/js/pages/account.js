// The theme as a list, where the bar has it as a button to press through.
import { choose, chosen } from "core/theme.js";

const list = document.getElementById("theme");
list.value = chosen();
list.addEventListener("change", () => choose(list.value));
