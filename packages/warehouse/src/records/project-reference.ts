import type { ProjectReference, Received } from '@collab-etl/contract'
import { storable } from '../convert/text.ts'
import type { RowWriter } from './row-writer.ts'

type Reference = Received<typeof ProjectReference> | null

/**
 * The values of an embedded project (docs/service-api.md#projectreference) that have no column: unknown fields, and all fields of a
 * project that is not the one the record was read from. Name, icon and colour of the own project are copies.
 */
export function referenceExtra(rows: RowWriter, reference: Reference): Record<string, unknown> | undefined {
  const extra = rows.withOtherPid(reference?.extra, reference?.pid)
  return extra?.['pid'] !== undefined && isOther(rows, reference) ? { ...shownOf(reference), ...extra } : extra
}

/** What a record shows of its own project otherwise than the first record of the scope does; `null` mostly. */
export function otherProject(rows: RowWriter, reference: Reference): Record<string, unknown> | null {
  if (reference === null || isOther(rows, reference)) return null
  const shown = shownOf(reference)
  return rows.memory.isOtherProject(JSON.stringify(shown)) ? shown : null
}

function isOther(rows: RowWriter, reference: Reference): boolean {
  const pid = reference?.pid ?? ''
  return pid !== '' && pid !== rows.pid
}

/** The fields that have a value. */
function shownOf(reference: Reference): Record<string, unknown> {
  const fields = [
    ['name', reference?.name],
    ['pic', reference?.pic],
    ['bg', reference?.bg],
  ] as const
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, storable(value).text]])),
  )
}
