// The reader's language: the catalogue that the page has loaded before any module, else English as it stands in the code.

/** "en", "fr", "ja", "ru". */
export const language = globalThis.document?.documentElement.lang || "en";

/** How Intl names the ways in which its figures and days are written. */
export const locale = { en: "en-GB", fr: "fr-FR", ja: "ja-JP", ru: "ru-RU" }[language] ?? "en-GB";

export const gettext = (text) => globalThis.gettext?.(text) ?? text;
export const ngettext = (one, many, count) => globalThis.ngettext?.(one, many, count) ?? (count === 1 ? one : many);

/** "%(count)s min" and {count: 3} are "3 min". */
export function filled(text, values) {
  return text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
}
