import { defuse } from '@collab-etl/cli'
import { quoted } from '../csv/writer.ts'

/**
 * A line of RFC 4180 CSV, every text in quotes.
 * @param isGuarded whether an apostrophe goes before what a spreadsheet would run as a formula. Not in what a tool imports: it runs none, and
 * would keep the apostrophe as a part of the title for ever
 */
export function csvLine(cells: readonly (string | null)[], { isGuarded = false } = {}): string {
  const row = cells.map((cell) => (cell === null ? '' : quoted(isGuarded ? defuse(cell) : cell)))
  return `${row.join(',')}\r\n`
}
