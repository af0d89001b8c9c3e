/**
 * Beginnings that a spreadsheet takes for a formula or skips on its way to one (OWASP, "CSV Injection"): = + - @ in ASCII
 * and full width, behind any white space, and the control characters tab, carriage return, line feed. Apostrophes before them
 * count as well, so that a text that has one of its own is told from one that got it here.
 */
const FORMULA = /^'*(?:[\t\r\n]|[\s\u200b\ufeff]*[=+\-@＝＋－＠])/

/** A text that no spreadsheet runs: where it would, an apostrophe stands before it. */
export function defuse(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The text that was defused. */
export function undefuse(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}
