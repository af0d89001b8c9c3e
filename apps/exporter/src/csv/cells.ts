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

/**
 * JSON with the keys of every object in one order, so that the same value is the same text whichever way it came:
 * Postgres keeps keys in an order of its own.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? sorted(inner) : inner)) ?? 'null'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(object).sort()
  // Without a prototype, so that a key "__proto__" is a key like any other.
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of keys) copy[key] = object[key]
  return copy
}
