import type { Label, Received } from '@collab-etl/contract'
import type { RowWriter } from '../convert/row-writer.ts'
import type { Table } from '../convert/table.ts'

/** Writes the labels of a project or a task (docs/service-api.md#label), whose key is `key` and the label's name. */
export function labelRows(
  rows: RowWriter,
  table: Table,
  labels: readonly Received<typeof Label>[],
  key: readonly string[],
): void {
  const guard = rows.newList()
  for (const [index, label] of labels.entries()) {
    rows.within('labels', index)
    const name = rows.key(label.name, 'name')
    if (!guard.isNew(name, label)) continue
    rows.row(table, [...key, name, rows.text(label.desc, 'desc'), rows.extra(label.extra)])
  }
  rows.within('')
}
