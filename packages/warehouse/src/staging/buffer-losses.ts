import type { ConversionIssue } from '@collab-etl/contract/streams'
import { type BatchRows, rowObjects } from '../records/rows-of.ts'

/** The loss of an id that cannot be requested; it is not kept for the next run. */
export function unaskable(id: string): ConversionIssue {
  return { recordKey: id, field: '', kind: 'unaskable', original: JSON.stringify(id) }
}

/** The loss of an unchanged record that came twice: the same as if both had been staged. */
export function duplicateOf({ tables }: BatchRows, record: number): ConversionIssue {
  const of = tables.find(({ table }) => table.hashed === true)
  const index = of?.records.indexOf(record) ?? -1
  const row = of === undefined ? {} : (rowObjects({ ...of, rows: of.rows.slice(index, index + 1) })[0] ?? {})
  const { pid, ...fields } = row
  const recordKey = (of?.table.key ?? [])
    .filter((name) => name !== 'pid')
    .map((name) => String(row[name]))
    .join(' ')
  return { recordKey, field: '', kind: 'duplicate', original: JSON.stringify(fields) }
}
