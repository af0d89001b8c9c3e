import type { Table } from '../convert/table.ts'
import { TABLES } from '../tables/index.ts'
import type { Relation } from './types.ts'

/** Columns that name rows of a table by another name than its key's. */
const NAMED_OTHERWISE: Readonly<Record<string, { readonly table: string; readonly key: string }>> = {
  parent_id: { table: 'pages', key: 'page_id' },
  folder_id: { table: 'files', key: 'fid' },
}

/** Tables that are no resources, and so not among `TABLES`. */
const RUN_LOG: readonly Relation[] = [
  relation('known_posts', ['pid', 'post_id'], 'posts', { optional: true }),
  relation('known_files', ['pid', 'fid'], 'files', { optional: true }),
  relation('run_scopes', ['run_id'], 'runs'),
  relation('run_scopes', ['pid'], 'projects', { optional: true }),
  relation('unread_items', ['run_id'], 'runs'),
  relation('unread_items', ['run_id', 'pid', 'stream'], 'run_scopes'),
  relation('losses', ['run_id'], 'runs'),
  relation('losses', ['run_id', 'pid', 'stream'], 'run_scopes', { optional: true }),
]

/** Every relation, from the tables as data: to the parent or the project, to users, and by ids in other columns. */
export function allRelations(): Relation[] {
  return [...TABLES.flatMap((table) => [...upwards(table), ...sideways(table), ...toUsers(table)]), ...RUN_LOG]
}

/** To its parents, or else to its project. */
function upwards({ name, key, columns, parent }: Table): Relation[] {
  if (parent !== undefined) {
    return parent.tables.map((toTable) => {
      const as = parent.as?.[toTable]
      const on = parent.on.filter((column) => as?.fixed[column] === undefined)
      return relation(name, ['pid', ...on], toTable, {
        optional: parent.tables.length > 1,
        toColumns: ['pid', ...on.map((column) => as?.columns[column] ?? column)],
      })
    })
  }
  if (name === 'projects' || !columns.some((column) => column.name === 'pid')) return []
  return [relation(name, ['pid'], 'projects', { optional: !key.includes('pid') })]
}

/** By an id in a column of its own: the group of a task, the folder of a file. */
function sideways({ name, columns, parent }: Table): Relation[] {
  return columns.flatMap((column) => {
    const other = NAMED_OTHERWISE[column.name]
    // parents have their own relation
    if (other !== undefined && parent?.on.includes(column.name) !== true) {
      return [relation(name, ['pid', column.name], other.table, { optional: true, toColumns: ['pid', other.key] })]
    }
    const named = TABLES.find(
      (table) =>
        table.name !== name && table.key.length === 2 && table.key[0] === 'pid' && table.key[1] === column.name,
    )
    const isRoot = named !== undefined && named.parent === undefined
    if (!isRoot || parent?.tables.includes(named.name)) return []
    return [relation(name, ['pid', column.name], named.name, { optional: true })]
  })
}

function toUsers({ name, key, columns }: Table): Relation[] {
  if (name === 'users') return []
  return columns
    .filter((column) => /(^|_)uid$/.test(column.name))
    .map((column) =>
      relation(name, [column.name], 'users', { optional: !key.includes(column.name), toColumns: ['uid'] }),
    )
}

function relation(
  table: string,
  columns: readonly string[],
  toTable: string,
  { optional = false, toColumns = columns }: Partial<Relation> = {},
): Relation {
  return { table, columns, toTable, toColumns, optional }
}
