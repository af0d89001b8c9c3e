import { defuse } from '@collab-etl/cli'
import { stringify } from 'csv-stringify/sync'

/**
 * A line of RFC 4180 CSV, every text in quotes.
 * @param isGuarded whether an apostrophe goes before what a spreadsheet would run as a formula. Not in what a tool imports: it runs none, and
 * would keep the apostrophe as a part of the title for ever
 */
export function csvLine(cells: readonly (string | null)[], { isGuarded = false } = {}): string {
  const row = isGuarded ? cells.map((cell) => cell && defuse(cell)) : [...cells]
  return stringify([row], { record_delimiter: 'windows', quoted_string: true })
}
