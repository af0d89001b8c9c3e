import { formatNumber } from '@collab-etl/cli'

/** How many of the missing objects are named. */
const NAMED = 5

/** What to do about a schema of which parts are missing: no migration makes them again. */
export const MISSING_ADVICE =
  'Restore the database from its backup, or make a new warehouse in another --schema; packages/warehouse/schema.sql shows what is missing'

export function missingText(schema: string, missing: readonly string[]): string {
  const more = missing.length > NAMED ? `, and ${missing.length - NAMED} more` : ''
  return `${formatNumber(missing.length, 'object')} of the schema ${schema} ${missing.length === 1 ? 'is' : 'are'} missing: ${missing.slice(0, NAMED).join(', ')}${more}`
}
