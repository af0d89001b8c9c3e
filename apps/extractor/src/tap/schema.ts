import { exactNumber } from '@collab-etl/contract/exact-json'
import type { FeedColumn, FeedTable } from '@collab-etl/warehouse'

/** Exact: JavaScript would round those of bigint, and targets would choose a wider type. */
const bounds = (minimum: string, maximum: string) => ({
  minimum: exactNumber(minimum),
  maximum: exactNumber(maximum),
})

/** Targets choose the type of a column by these. */
const TYPES: Readonly<Record<FeedColumn['type'], { readonly type: string; readonly [keyword: string]: unknown }>> = {
  text: { type: 'string' },
  uuid: { type: 'string' },
  timestamptz: { type: 'string', format: 'date-time' },
  boolean: { type: 'boolean' },
  smallint: { type: 'integer', ...bounds('-32768', '32767') },
  integer: { type: 'integer', ...bounds('-2147483648', '2147483647') },
  bigint: { type: 'integer', ...bounds('-9223372036854775808', '9223372036854775807') },
  'double precision': { type: 'number' },
  'text[]': { type: 'array', items: { type: ['null', 'string'] } },
  // without properties, targets store an object as JSON
  jsonb: { type: 'object' },
}

/** The JSON Schema of a stream's records with these fields, to be written as JSON. */
export function recordSchema({ columns, key }: FeedTable, fields: readonly string[]): Record<string, unknown> {
  const properties = columns
    .filter(({ name }) => fields.includes(name))
    .map(({ name, type: sqlType, comment }) => {
      const { type, ...rest } = TYPES[sqlType]
      return [name, { type: key.includes(name) ? [type] : ['null', type], ...rest, description: comment }]
    })
  return { type: 'object', properties: Object.fromEntries(properties) }
}
