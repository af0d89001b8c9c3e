import { formatCount, formatTable, type Output } from '@collab-etl/cli'
import type { EntryMapping } from '../restore/entries.ts'

/** Task groups shown to a person; all of them are in the JSON document. */
const SHOWN = 100

const FOUND = { pair: 'given as a pair', name: 'by its name', entry: 'by --entry' } as const

/** In which groups tasks are created, for JSON; groups without tasks to create are left out. */
export function entriesJson({ rows }: EntryMapping) {
  return rows
    .filter(({ group }) => group.tasks > 0)
    .map(({ group: { id, names, tasks }, to, by }) => ({ from: id, name: nameOf(names), tasks, to, by }))
}

/** The same as a table, if groups are kept apart. */
export function showEntries(stdout: Output, mapping: EntryMapping): void {
  const entries = mapping.isKept ? entriesJson(mapping) : []
  if (entries.length === 0) return
  const rows = entries.slice(0, SHOWN).map(({ from, name, tasks, to, by }) => {
    return [from === '' ? '(none)' : from, name, tasks, to ?? '(left out)', by === null ? '' : FOUND[by]]
  })
  const width = stdout.columns === undefined ? {} : { width: stdout.columns }
  stdout.line()
  stdout.line('Task groups:')
  stdout.line(formatTable(['group', 'name', 'tasks', 'new group', 'found'], rows, width))
  if (entries.length > SHOWN) stdout.line(`and ${formatCount(entries.length - SHOWN)} more (see --json)`)
}

/** Says which ids of groups only the first task shows to be right: no operation returns a group by itself. */
export function showUnchecked(stdout: Output, mapping: EntryMapping): void {
  if (!mapping.rows.some(({ group, to, by }) => group.tasks > 0 && to !== null && by !== 'name')) return
  stdout.line(
    'The ids of new groups that were given are not checked: the service shows a group only in its tasks. If an id is wrong, the tasks',
  )
  stdout.line('of the group are not created, and are listed.')
}

function nameOf(names: ReadonlySet<string>): string | null {
  const [name = null] = names
  return name
}
