/**
 * Characters that a program may drop or skip before it looks for a formula: controls, spaces, format characters (such as
 * U+200E and U+202E) and default-ignorable characters. The ranges are written out instead of `\p{…}`, so that cells are
 * restored exactly under every version of Node and Unicode.
 */
const SKIPPED = [
  '\\0-\\x20\\x7f-\\xa0\\xad',
  '\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f',
  '\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164',
  '\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff',
  '\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}',
].join('')

/** `=`, `+`, `-` and `@` in ASCII, their Unicode compatibility forms, and the minus sign. */
const OPERATORS = '=＝﹦⁼₌+＋﹢⁺₊﬩\\-－﹣−⁻₋@＠﹫'

/**
 * Beginnings that a spreadsheet may take for a formula (OWASP, "CSV Injection"), by rule. They may follow apostrophes, so
 * that an apostrophe of the text itself can be distinguished from one that `defuse` added.
 */
const FORMULAS = {
  1: /^'*(?:[\t\r\n]|[\s\u200b\ufeff]*[=+\-@＝＋－＠])/,
  2: new RegExp(`^'*(?:[\\t\\r\\n]|[${SKIPPED}]*[${OPERATORS}])`, 'u'),
} as const

/** A rule by which cells are defused. A file must be read by the rule that it was written with. */
export type DefuseRule = keyof typeof FORMULAS

/** The rule of `defuse`. */
export const DEFUSE_RULE = 2 satisfies DefuseRule

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. */
export function defuse(text: string): string {
  return FORMULAS[DEFUSE_RULE].test(text) ? `'${text}` : text
}

/** Undoes `defuse`. */
export function undefuse(cell: string, rule: DefuseRule = DEFUSE_RULE): string {
  return cell.startsWith("'") && FORMULAS[rule].test(cell) ? cell.slice(1) : cell
}
