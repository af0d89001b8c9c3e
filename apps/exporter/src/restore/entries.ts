import { UsageError } from '@collab-etl/cli'
import type { MappedBy, MappedEntry } from './journal-lines.ts'
import type { JournalState } from './journal-state.ts'
import { isEmpty, type Plan, type TaskGroup } from './plan.ts'

/** The values of `--entries`. */
export interface EntriesFlag {
  readonly byName: boolean
  /** `OLD=NEW` as given: ids may contain `=`. */
  readonly pairs: readonly string[]
}

/** Ids of the task groups of the target by their names. */
export type GroupsByName = ReadonlyMap<string, ReadonlySet<string>>

/** Where the tasks of a group of the backup are created; `to` is `null` if they are left out, or if the group is still to be created. */
export interface EntryRow {
  readonly group: TaskGroup
  readonly to: string | null
  /** `created`: in a group that this restore creates. */
  readonly by: MappedBy | 'created' | null
}

export interface EntryMapping {
  readonly rows: readonly EntryRow[]
  /** Whether groups are kept apart, by this run or an earlier one; else `--entry` alone decides, and may change between runs. */
  readonly isKept: boolean
  /** What the journal does not have yet. */
  readonly changes: readonly MappedEntry[]
}

/** A mapping, checked against the tasks of the target. */
export interface CheckedMapping extends EntryMapping {
  /** Ids of new groups that were given and that no task of the target names; `null` if the target was not read. */
  readonly unnamed: ReadonlySet<string> | null
}

/** Ids of new groups that the user gave, which may be wrong. */
export function givenGroups({ rows }: EntryMapping): ReadonlySet<string> {
  const isGiven = ({ group, by }: EntryRow) => (by === 'pair' || by === 'entry') && group.tasks > 0
  return new Set(rows.flatMap((row) => (row.to !== null && isGiven(row) ? [row.to] : [])))
}

export interface EntryChoice {
  readonly plan: Pick<Plan, 'items' | 'groups'>
  /** The project of the backup. */
  readonly pid: string
  readonly toProject: string
  readonly entries?: EntriesFlag | undefined
  /** The group for tasks that nothing else maps. */
  readonly entry: string | undefined
  readonly state: JournalState
  /** Whether the service lists task groups; then missing ones are created. */
  readonly canCreate: boolean
  /** Called at most once, if a group has to be found by its name; `null` without a service. */
  readonly readTarget: (() => Promise<GroupsByName>) | null
}

const FORM = /^.+=.+$/s

/** Reads the values of `--entries`: `by-name`, and `OLD=NEW`. */
export function parseEntries(values: readonly string[]): EntriesFlag {
  const pairs = values.filter((value) => value !== 'by-name')
  const wrong = pairs.find((value) => !FORM.test(value))
  if (wrong !== undefined) throw new UsageError(`--entries must be by-name or OLD_ID=NEW_ID, not "${wrong}"`)
  return { byName: pairs.length < values.length, pairs }
}

/**
 * Decides for every task group of the backup in which group its tasks are created. A pair comes first, then what the journal has,
 * then the name, then `--entry`. Where the service offers to create groups, and without `--entry`, groups are found by name, and those that
 * are not found are created.
 *
 * @throws UsageError if a pair names no group, a name is missing or ambiguous, or tasks of a group were created elsewhere
 */
export async function mapEntries(choice: EntryChoice): Promise<EntryMapping> {
  const { plan, entries, entry, state, canCreate } = choice
  const groups = canCreate ? plan.groups : plan.groups.filter((group) => !isEmpty(group))
  const isImplied = canCreate && entry === undefined && entries?.byName !== true
  const isKept = entries !== undefined || isImplied || state.entries.size > 0 || state.hasGroups
  if (!isKept) {
    const by = entry === undefined ? null : 'entry'
    return { rows: groups.map((group) => ({ group, to: entry ?? null, by })), isKept, changes: [] }
  }
  const pairs = pairsOf(choice, groups)
  const created = createdGroups(choice)
  const decided = new Map<string, EntryRow>()
  const open: TaskGroup[] = []
  for (const group of groups) {
    const to = pairs.get(group.id)
    const earlier = earlierOf(choice, group)
    const [only, other] = isImplied ? (created.get(group.id) ?? []) : []
    if (to !== undefined) decided.set(group.id, { group, to, by: 'pair' })
    else if (earlier !== null) decided.set(group.id, { group, ...earlier })
    // An earlier run had --entry.
    else if (only !== undefined && other === undefined) decided.set(group.id, { group, to: only, by: 'entry' })
    else if (entries?.byName ? group.tasks > 0 || canBeNamed(group) : isImplied && canBeNamed(group)) open.push(group)
    else decided.set(group.id, { group, to: entry ?? null, by: entry === undefined ? null : 'entry' })
  }
  const found = open.length === 0 ? [] : findByName(choice, open, await targetGroups(choice))
  for (const row of found) decided.set(row.group.id, row)
  const rows = groups.flatMap(({ id }) => decided.get(id) ?? [])
  refuseSplit(rows, created)
  return { rows, isKept, changes: changesOf(rows, state) }
}

/** Whether a group can be found by its name, or created with it; one that has only archived tasks, which are left out, is not needed. */
function canBeNamed(group: TaskGroup): boolean {
  return group.id !== '' && group.names.size > 0 && (group.tasks > 0 || isEmpty(group))
}

/** The pairs by old id, each divided where a group of the backup is named. */
function pairsOf({ pid, entries }: EntryChoice, groups: readonly TaskGroup[]): ReadonlyMap<string, string> {
  const known = new Set(groups.map(({ id }) => id).filter((id) => id !== ''))
  const pairs = new Map<string, string>()
  for (const text of entries?.pairs ?? []) {
    const places = [...text.matchAll(/=/g)].map(({ index }) => index)
    const [place, other] = places.filter((at) => known.has(text.slice(0, at)) && at + 1 < text.length)
    if (place === undefined) {
      const named = groups.filter(({ id }) => id !== '')
      const there = named.length === 0 ? 'it has none' : `it has ${describeGroups(named)}`
      throw new UsageError(`--entries ${text}: project ${pid} of the backup has no such task group; ${there}`)
    }
    const [from, to] = [text.slice(0, place), text.slice(place + 1)]
    const before = pairs.get(from) ?? to
    if (other !== undefined || before !== to) {
      const why =
        other === undefined ? `task group ${from} is also paired with ${before}` : 'it can be read in two ways'
      throw new UsageError(`--entries ${text}: ${why}; give each group once`)
    }
    pairs.set(from, to)
  }
  return pairs
}

/** Groups of the target that have, or may have, tasks of a group of the backup, by its id. */
function createdGroups({ plan, state }: EntryChoice): ReadonlyMap<string, ReadonlySet<string>> {
  const created = new Map<string, Set<string>>()
  for (const { kind, id, entryId } of plan.items) {
    const key = { call: kind, id }
    const under = kind === 'task' && state.of(key) !== undefined ? state.underOf(key) : null
    if (under !== null) created.set(entryId, (created.get(entryId) ?? new Set()).add(under))
  }
  return created
}

/** What an earlier run decided; names are not looked up again, as they may have changed. */
function earlierOf({ entry, state }: EntryChoice, { id }: TaskGroup): Pick<EntryRow, 'to' | 'by'> | null {
  const call = state.of({ call: 'group', id })
  // If the outcome of its creation is unknown, the group is looked for before it is created.
  if (call !== undefined) return { to: call.state === 'done' ? call.newId : null, by: 'created' }
  const earlier = state.entries.get(id)
  if (earlier === undefined) return null
  return { to: earlier.by === 'entry' ? (entry ?? earlier.to) : earlier.to, by: earlier.by }
}

async function targetGroups({ readTarget }: EntryChoice): Promise<GroupsByName> {
  if (readTarget === null) throw new UsageError('--entries by-name reads the target: set --base-url')
  return await readTarget()
}

function findByName(
  { plan, toProject, entry, entries, canCreate }: EntryChoice,
  wanted: readonly TaskGroup[],
  target: GroupsByName,
) {
  const rows: EntryRow[] = []
  const missing: TaskGroup[] = []
  const ambiguous: string[] = []
  const count = new Map<string, number>()
  for (const { names, tasks } of plan.groups) {
    if (tasks > 0) for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)
  }
  for (const group of wanted) {
    const found = new Set([...group.names].flatMap((name) => [...(target.get(name) ?? [])]))
    const [to, other] = found
    const isShared = [...group.names].some((name) => target.has(name) && (count.get(name) ?? 0) > 1)
    if (to === undefined && entry !== undefined) rows.push({ group, to: entry, by: 'entry' })
    else if (to === undefined && canCreate && canBeNamed(group)) rows.push({ group, to: null, by: 'created' })
    else if (isEmpty(group) && (other !== undefined || isShared)) rows.push({ group, to: null, by: null })
    else if (to === undefined) missing.push(group)
    else if (other !== undefined) ambiguous.push(`${describeGroup(group)} matches ${[...found].sort().join(', ')}`)
    else if (isShared) ambiguous.push(`${describeGroup(group)} shares its name with another group of the backup`)
    else rows.push({ group, to, by: 'name' })
  }
  if (missing.length + ambiguous.length === 0) return rows
  const problems = [
    ...(missing.length > 0 ? [`not found in the tasks of project ${toProject}: ${describeGroups(missing)}`] : []),
    ...(ambiguous.length > 0 ? [`ambiguous: ${listed(ambiguous)}`] : []),
  ]
  const rest = missing.length === 0 ? '' : ', or give --entry ENTRY_ID for those that are missing'
  throw new UsageError(
    `${entries?.byName ? '--entries by-name' : 'the task groups by their names'}: ${problems.join('; ')}. Add --entries OLD_ID=NEW_ID for each${rest}; nothing was created`,
  )
}

/** A group of which some tasks were created in another group than the others would be. */
function refuseSplit(rows: readonly EntryRow[], created: ReadonlyMap<string, ReadonlySet<string>>): void {
  const split = rows.flatMap(({ group, to }) => {
    const there = [...(created.get(group.id) ?? [])]
    return to === null || there.length === 0 || there.includes(to)
      ? []
      : [`${describeGroup(group)} in ${there.join(', ')}, not ${to}`]
  })
  if (split.length === 0) return
  throw new UsageError(
    `according to the journal, tasks were created in other task groups: ${listed(split)}. ` +
      'Run it again with the flags of that run, or name the groups that it used: --entries OLD_ID=NEW_ID',
  )
}

function changesOf(rows: readonly EntryRow[], { entries }: JournalState): MappedEntry[] {
  return rows.flatMap(({ group: { id: from, tasks }, to, by }) => {
    const earlier = entries.get(from)
    // A group that was created has a line of its own.
    if (to === null || by === null || by === 'created' || (earlier?.to === to && earlier.by === by)) return []
    // A later run may find the name of a group that has only archived tasks, which this run leaves out.
    return tasks === 0 && by === 'entry' ? [] : [{ from, to, by }]
  })
}

/** Groups named in a message, and characters of a name. */
const NAMED = 20
const NAME_LENGTH = 60

/** A task group for a message: its name and its id. */
function describeGroup({ id, names }: TaskGroup): string {
  if (id === '') return 'tasks without a group'
  const [name] = names
  if (name === undefined) return `task group ${id}, which has no name`
  const short = name.length <= NAME_LENGTH ? name : `${name.slice(0, NAME_LENGTH)}…`
  return `${JSON.stringify(short)} (${id})`
}

function describeGroups(groups: readonly TaskGroup[]): string {
  return listed(groups.map(describeGroup))
}

/** The first of the texts, and the number of the others. */
function listed(texts: readonly string[]): string {
  const more = texts.length > NAMED ? `, and ${texts.length - NAMED} more` : ''
  return `${texts.slice(0, NAMED).join(', ')}${more}`
}
