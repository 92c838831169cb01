// The seven words of a disk's state, in the reader's language.
import { gettext } from "core/words.js";

const WORDS = {
  met: () => gettext("met"),
  at_risk: () => gettext("at risk"),
  breached: () => gettext("breached"),
  excused: () => gettext("excused"),
  maintenance: () => gettext("maintenance"),
  no_data: () => gettext("no data"),
  idle: () => gettext("idle"),
};

export const stateWord = (state) => WORDS[state]?.() ?? state;
