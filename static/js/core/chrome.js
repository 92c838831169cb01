// What every page starts: theme, clock, keys.
import { startClock } from "core/clock.js";
import { startKeys } from "core/keys.js";
import { startPlaces } from "core/places.js";
import { startTables } from "core/table-csv.js";
import { startTheme } from "core/theme.js";
import { startTravel } from "core/travel.js";

const find = (id) => document.getElementById(id);

startTheme(find("theme-switch"));
startClock(find("clock"), find("zone-switch"));
startKeys(find("find"), find("person"));
startPlaces(find("places-switch"), find("places"));
startTravel({ help: find("help"), places: document.querySelector(".places") });
startTables();
