import type { ProjectReference, Received } from '@collab-etl/contract'
import type { RowWriter } from '../convert/row-writer.ts'

/**
 * What of an embedded project (API page, 2.3) has no column: unknown fields, and the id of a project that is not the one
 * the record was read from. Its name, icon and colour are copies of the project's own.
 */
export function referenceExtra(
  rows: RowWriter,
  reference: Received<typeof ProjectReference> | null,
): Record<string, unknown> | undefined {
  return rows.withOtherPid(reference?.extra, reference?.pid)
}
