import { type Output, plainText } from '@collab-etl/cli'
import { type CheckedMapping, givenGroups } from '../restore/entries.ts'
import { showTable } from './tables.ts'

/** Task groups shown to a person; all of them are in the JSON document. */
const SHOWN = 100

const FOUND = { pair: 'given as a pair', name: 'by its name', entry: 'by --entry', created: 'created here' } as const

/** In which groups tasks are created, for JSON; groups without tasks to create are left out. */
export function entriesJson({ rows, unnamed }: CheckedMapping) {
  return rows
    .filter(({ group }) => group.tasks > 0)
    .map(({ group: { id, names, tasks }, to, by }) => ({
      from: id,
      name: nameOf(names),
      tasks,
      to,
      by,
      named_in_target: unnamed === null || to === null ? null : !unnamed.has(to),
    }))
}

/** The same as a table, if groups are kept apart. */
export function showEntries(stdout: Output, mapping: CheckedMapping): void {
  const entries = mapping.isKept ? entriesJson(mapping) : []
  if (entries.length === 0) return
  const rows = entries.map(({ from, name, tasks, to, by }) => {
    return [
      from === '' ? '(none)' : from,
      name,
      tasks,
      to ?? (by === 'created' ? '(to create)' : '(left out)'),
      by === null ? '' : FOUND[by],
    ]
  })
  stdout.line()
  stdout.line('Task groups:')
  showTable(stdout, ['group', 'name', 'tasks', 'new group', 'found'], rows, { most: SHOWN })
}

/** Warns about ids of new groups that were not found in the target. */
export function showUnnamed(stdout: Output, mapping: CheckedMapping, pid: string): void {
  const given = [...(mapping.unnamed ?? givenGroups(mapping))]
  if (given.length === 0) return
  const named = given.slice(0, SHOWN).map(plainText).join(', ')
  stdout.line()
  stdout.line(
    mapping.unnamed === null
      ? `Not checked: whether project ${plainText(pid)} has task group ${named}`
      : `Warning: task group ${named} was not found in project ${plainText(pid)}. Check the id: if it is wrong, the service refuses the tasks`,
  )
}

function nameOf(names: ReadonlySet<string>): string | null {
  const [name = null] = names
  return name
}
