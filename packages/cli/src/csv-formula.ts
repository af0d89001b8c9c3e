/**
 * Characters that a program may drop or skip before it looks for a formula: controls, spaces, format characters (such as
 * U+200E and U+202E) and what Unicode says to ignore. The ranges are written out, not taken from `\p{…}`: cells must be
 * restored exactly under any Node, whatever version of Unicode it knows.
 */
const SKIPPED = [
  '\\0-\\x20\\x7f-\\xa0\\xad',
  '\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f',
  '\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164',
  '\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff',
  '\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}',
].join('')

/** `=`, `+`, `-` and `@` in ASCII, and all that Unicode's compatibility forms turn into them; the minus sign as well. */
const OPERATORS = '=＝﹦⁼₌+＋﹢⁺₊﬩\\-－﹣−⁻₋@＠﹫'

/**
 * Beginnings that a spreadsheet may take for a formula (OWASP, "CSV Injection"), by rule. Apostrophes before them count as
 * well, so that a text that has one of its own is told from one that `defuse` added.
 */
const FORMULAS = {
  1: /^'*(?:[\t\r\n]|[\s\u200b\ufeff]*[=+\-@＝＋－＠])/,
  2: new RegExp(`^'*(?:[\\t\\r\\n]|[${SKIPPED}]*[${OPERATORS}])`, 'u'),
} as const

/** A rule by which cells are defused. Files written under an older one must be read by it. */
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
