import type { Parent, TableName } from '../convert/table.ts'
import { columnList, quoted } from '../names.ts'

/**
 * Columns of a parent's row `p`, under the names by which its children refer to them: SQL of a select list. A parent table
 * may call them otherwise, and children of several tables say by a constant which one they mean.
 */
export function parentColumns({ on, as }: Parent, table: TableName): string {
  const { columns, fixed } = as?.[table] ?? { columns: {}, fixed: {} }
  return on
    .map((name) => {
      const constant = fixed[name]
      const value = constant === undefined ? `p.${quoted(columns[name] ?? name)}` : `'${constant}'::text COLLATE "C"`
      return `${value} AS ${quoted(name)}`
    })
    .join(', ')
}

/** The id by which a child `t` names its parent, as one text: what lists of unsure parents hold. */
export function parentId({ on, unsureBy = on }: Parent): string {
  return unsureBy.length === 1 ? columnList(unsureBy, 't') : `concat_ws(' ', ${columnList(unsureBy, 't')})`
}
