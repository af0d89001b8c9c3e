import { readFile } from 'node:fs/promises'

/** One table that the statements of docs/dev/internals.md distribute. */
interface Distributed {
  readonly table: string
  readonly column: string
  readonly colocatedWith: string
}

const STATEMENT =
  /^SELECT create_(distributed|reference)_table\(([^,)]+)(?:, '(\w+)', colocate_with => '([\w.]+)')?\)([^;]*);/gm

const names = (list: string) => [...list.matchAll(/'([\w.]+)'/g)].map(([, name = '']) => name)

/** Tables by the statements of docs/dev/internals.md: distributed ones, and those of which every server has a copy. */
export async function readSharding(): Promise<{ distributed: Distributed[]; references: string[]; unread: string[] }> {
  const page = await readFile(new URL('../../../../docs/dev/internals.md', import.meta.url), 'utf8')
  const [, sql = ''] = /```sql\n([\s\S]*?)```/.exec(page) ?? []
  const distributed: Distributed[] = []
  const references: string[] = []
  for (const [, kind, argument = '', column = '', colocatedWith = '', from = ''] of sql.matchAll(STATEMENT)) {
    const [first = names(argument), second] = [...from.matchAll(/ARRAY\[([^\]]*)\]/g)].map(([, list = '']) =>
      names(list),
    )
    const tables = second === undefined ? first : first.flatMap((schema) => second.map((name) => `${schema}.${name}`))
    if (kind === 'reference') references.push(...tables)
    else distributed.push(...tables.map((table) => ({ table, column, colocatedWith })))
  }
  return { distributed, references, unread: sql.replaceAll(STATEMENT, '').split('\n').filter(Boolean) }
}
