import { defuse } from '@collab-etl/cli'
import { stringify } from 'csv-stringify/sync'

/**
 * A line of RFC 4180 CSV, every text in quotes.
 * @param isGuarded whether cells that a spreadsheet would run as a formula get an apostrophe. Files that a tool imports must not: the tool
 * would keep the apostrophe in the title
 */
export function csvLine(cells: readonly (string | null)[], { isGuarded = false } = {}): string {
  const row = isGuarded ? cells.map((cell) => cell && defuse(cell)) : [...cells]
  return stringify([row], { record_delimiter: 'windows', quoted_string: true })
}
