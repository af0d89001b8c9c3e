import { type Column, fitText } from '@collab-etl/cli'
import type { Change } from '@collab-etl/warehouse'

export const CHANGE_COLUMNS: readonly Column[] = [
  'run began',
  'change',
  { header: 'table', isWhole: true },
  { header: 'project', isOptional: true, isWhole: true },
  { header: 'record', isWhole: true },
  'what',
]

/** Width of a value; longer ones are cut. */
const VALUE_WIDTH = 40

export function changeRow(change: Change): unknown[] {
  const { changed_at: at, table_name: table, pid, key } = change
  const record = Object.entries(key)
    .filter(([column]) => column !== 'pid')
    .map(([, value]) => String(value))
    .join(' ')
  return [at?.slice(0, 19) ?? '', change.change, table, pid ?? '', record, whatChanged(change)]
}

/** `name: "Old" → "New"` for each column; of other records their name. */
function whatChanged({ columns, old_values: before, new_values: after }: Change): string {
  if (columns === null) {
    const name = (after ?? before)?.['name']
    return typeof name === 'string' ? shown(name) : ''
  }
  return columns.map((column) => `${column}: ${shown(before?.[column])} → ${shown(after?.[column])}`).join('; ')
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  return fitText((typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' '), VALUE_WIDTH)
}
