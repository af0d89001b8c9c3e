import { EXIT, type ExitCode, formatCount, formatDuration, formatNumber, type Output, plainText } from '@collab-etl/cli'
import type { CheckedMapping } from '../restore/entries.ts'
import { FURTHER, isFurther, type Possible } from '../restore/further/kinds.ts'
import { notCarried } from '../restore/further/offered.ts'
import { leftOutGroups, type PlannedValues } from '../restore/further/planned-values.ts'
import { type AnyKind, CALL_KINDS, FURTHER_KINDS, type FurtherKind } from '../restore/item.ts'
import type { FinishedLine } from '../restore/journal-lines.ts'
import type { JournalState } from '../restore/journal-state.ts'
import {
  type Counts,
  type Inexact,
  type NotCompared,
  type NotRestored,
  noCounts,
  type RestoreOutcome,
} from '../restore/outcome.ts'
import type { Plan } from '../restore/plan.ts'
import type { IncompleteStream } from '../restore/restore-backup.ts'
import { UNRESTORABLE_WORDS, type Unrestorable } from '../restore/unrestorable.ts'
import { entriesJson, showEntries, showUnnamed } from './entries-table.ts'
import { showTable } from './tables.ts'

/** Records shown to a person for one reason; all of them are in the JSON document. */
const SHOWN = 20

/** What is restored, from where, to where. */
interface About {
  readonly backup: string
  readonly project: string
  readonly toProject: string
  readonly form: 'jsonl' | 'csv'
  readonly plan: Plan
  readonly incomplete: readonly IncompleteStream[]
  /** In which groups tasks are created. */
  readonly entries: CheckedMapping
  /** What the service offers to restore beyond the documented operations. */
  readonly possible: Possible
}

/**
 * 3 if a record that the service can create was not created, may not have been created, differs from the backup or could
 * not be compared, or if the backup itself is partial.
 */
export function exitCodeOfRestore(outcome: RestoreOutcome, incomplete: readonly IncompleteStream[]): ExitCode {
  const { notRestored, unknown, inexact, notCompared } = outcome
  const isExact = [notRestored, unknown, inexact, notCompared, incomplete].every(({ length }) => length === 0)
  return isExact ? EXIT.ok : EXIT.partial
}

/** Reports what was created, what was not, which outcomes are unknown, and what cannot be created. */
export function reportRestore(
  stdout: Output,
  report: About & {
    readonly outcome: RestoreOutcome
    readonly journal: string
    readonly baseUrl: string
    readonly milliseconds: number
  },
): void {
  const { outcome, journal, milliseconds } = report
  const { created, before, notRestored, unknown, inexact, compared, notCompared, finishedBefore } = outcome
  const isWhole = exitCodeOfRestore(outcome, report.incomplete) === EXIT.ok
  const groups = grouped(notRestored)
  stdout.document({
    ...aboutJson(report),
    base_url: report.baseUrl,
    status: isWhole ? 'complete' : 'partial',
    created,
    created_before: before,
    not_restored: groups,
    differences: inexact.map(({ newId, ...difference }) => ({ ...difference, new_id: newId })),
    compared,
    not_compared: notCompared,
    ...{
      unknown,
      ...notCarriedJson(report),
      journal,
      finished_before: finishedJson(finishedBefore),
      duration_ms: Math.round(milliseconds),
    },
  })
  const isAlready = finishedBefore !== null && notRestored.length + unknown.length === 0
  const whole = isAlready ? 'Already restored: nothing was created' : 'Restored'
  stdout.line(stdout.bold(isWhole || isAlready ? whole : 'Restored, but incomplete'))
  if (isAlready) showFinished(stdout, finishedBefore)
  else stdout.line(`  ${countsText(created)}, in ${formatDuration(milliseconds)}`)
  showFurther(stdout, created)
  if ([...CALL_KINDS, ...FURTHER_KINDS].some((kind) => (before[kind] ?? 0) > 0)) {
    stdout.line(`  before that: ${countsText(before)}`)
    showFurther(stdout, before)
  }
  stdout.line(`  read again and compared: ${countsText({ ...compared, comment: 0 })}`)
  showFurther(stdout, compared)
  showIncomplete(stdout, report.incomplete)
  showEntries(stdout, report.entries)
  showUnnamed(stdout, report.entries, report.toProject)
  for (const group of groups) showGroup(stdout, group)
  showInexact(stdout, inexact, notCompared)
  if (unknown.length > 0) {
    stdout.line()
    stdout.line('Whether these were created is unknown, as the answer was lost. Look for them in the project, then')
    stdout.line('run it again with --assume KIND:ID=created:NEW_ID or --assume KIND:ID=not-created:')
    const rows = unknown.map(({ kind, id, title, why }) => [`${kind}:${id}`, title, why])
    showTable(stdout, ['what', 'title', 'why'], rows)
  }
  showNotCarried(stdout, report)
  stdout.line()
  stdout.line(`  old and new ids   ${plainText(journal)}`)
}

/** Says what would be created, in its order, and what cannot be. */
export function reportPlan(
  stdout: Output,
  report: About & {
    /** `null`: no request was sent. */
    readonly journal: string | null
    readonly state: JournalState
    readonly provenance: boolean
    readonly values: PlannedValues
    /** Lists each record. */
    readonly isVerbose: boolean
  },
): ExitCode {
  const { plan, entries, state, journal, provenance } = report
  const leftOut = leftOutGroups(entries.rows)
  const counts = { ...noCounts(), ...report.values.toCreate }
  const before = { ...noCounts(), ...report.values.before }
  const depths = new Map<string, number>()
  const add = (sum: Counts, kind: AnyKind) => {
    sum[kind] = (sum[kind] ?? 0) + 1
  }
  const groups = entries.rows
    .filter(({ by }) => by === 'created')
    .map(({ group: { id, names } }) => {
      return { kind: 'group' as const, id, title: [...names][0] ?? null, parentId: null, entryId: '' }
    })
  const events = report.possible.kinds.has('event')
    ? plan.events.map((event) => ({ ...event, parentId: null, entryId: '' }))
    : []
  const rows = [...groups, ...plan.items, ...events].map(({ kind, id, title, parentId, entryId }) => {
    const depth = parentId === null ? 0 : (depths.get(parentId) ?? 0) + 1
    if (kind === 'page') depths.set(id, depth)
    const known = state.of({ call: kind, id })?.state
    const stopped = kind === 'task' && leftOut.has(entryId) ? 'left out: no --entry' : 'to create'
    const what = known === undefined ? stopped : known === 'done' ? 'created before' : 'unknown'
    if (what === 'to create') add(counts, kind)
    if (known === 'done') add(before, kind)
    if (provenance && kind === 'task' && (what === 'to create' || known === 'done')) {
      const comment = state.of({ call: 'comment', id })?.state
      if (comment === undefined) counts.comment += 1
      if (comment === 'done') before.comment += 1
    }
    return { kind, id, title, parent_id: parentId, depth, what }
  })
  stdout.document({
    ...aboutJson(report),
    dry_run: true,
    to_create: counts,
    created_before: before,
    journal,
    finished_before: finishedJson(state.finished),
    ...notCarriedJson(report),
    plan: rows.map(({ depth: _depth, ...row }) => row),
  })
  // the other lines count them
  const listed = report.isVerbose ? rows : rows.filter(({ what }) => what === 'unknown')
  const shown = listed.map(({ kind, id, title, depth, what }) => [
    kind,
    id,
    `${'· '.repeat(depth)}${title ?? ''}`,
    what,
  ])
  if (shown.length > 0) {
    showTable(stdout, ['kind', { header: 'id', isWhole: true }, 'title', 'what'], shown)
    stdout.line()
  }
  stdout.line(
    `${stdout.bold('Would be created')}: ${countsText(counts)}${report.isVerbose ? '' : ' (--verbose lists them)'}`,
  )
  showFurther(stdout, counts)
  const texts = report.form === 'jsonl' ? 'JSON lines' : 'CSV, which has no tasks'
  const asked = journal === null ? 'no request was sent' : 'the project was only read'
  stdout.line(`  from ${texts}, into project ${plainText(report.toProject)}; ${asked}`)
  if (journal === null) stdout.line('  no address: the project, its task groups and the journal were not checked')
  else if (!state.isEmpty) stdout.line(`  created before: ${countsText(before)} (${plainText(journal)})`)
  if (state.finished !== null) showFinished(stdout, state.finished)
  showIncomplete(stdout, report.incomplete)
  showEntries(stdout, entries)
  showUnnamed(stdout, entries, report.toProject)
  showNotCarried(stdout, report)
  return EXIT.ok
}

function aboutJson({ backup, project, toProject, form, incomplete, entries }: About) {
  return {
    backup,
    project,
    to_project: toProject,
    read_from: form,
    backup_incomplete: incomplete,
    entries: entriesJson(entries),
  }
}

function finishedJson(line: FinishedLine | null) {
  return line === null ? null : { backup: line.finished, at: line.at }
}

function showFinished(stdout: Output, { finished, at }: FinishedLine): void {
  stdout.line(`  finished ${at} from backup ${plainText(finished)}; --again creates every record once more`)
}

/** Names the incomplete streams of the backup: records missing from it cannot be restored. */
function showIncomplete(stdout: Output, incomplete: readonly IncompleteStream[]): void {
  if (incomplete.length === 0) return
  const streams = incomplete.map(({ stream, status }) => `${stream} (${status})`).join(', ')
  stdout.line(`  the backup is partial; records of these streams may be missing: ${plainText(streams)}`)
}

/** Names the created records that differ from the backup, and those that could not be read. */
function showInexact(stdout: Output, inexact: readonly Inexact[], notCompared: readonly NotCompared[]): void {
  if (inexact.length > 0) {
    stdout.line()
    stdout.line(`Created, but different from the backup: ${formatNumber(inexact.length, 'difference')}`)
    const rows = inexact.map(({ kind, id, newId, field, how, seen, found }) => {
      return [`${kind}:${id}`, newId, field, seen === 'answer' ? `${how} (in the answer)` : how, found]
    })
    showTable(stdout, ['what', 'new id', 'field', 'difference', 'found'], rows, { most: SHOWN })
  }
  if (notCompared.length === 0) return
  stdout.line()
  stdout.line(`Created, but not compared: ${formatNumber(notCompared.length, 'record')}`)
  const rows = notCompared.map(({ kind, id, title, why }) => [`${kind}:${id}`, title, why])
  showTable(stdout, ['what', 'title', 'why'], rows, { most: SHOWN })
}

/** Members of tasks who are not in the target, where members are restored. */
function missingMembers({ plan, possible: { kinds, members } }: Pick<About, 'plan' | 'possible'>) {
  return kinds.has('member') ? [...plan.members].filter(([uid]) => !members.has(uid)) : []
}

function notCarriedJson(about: Pick<About, 'plan' | 'possible' | 'entries'>) {
  const left = notCarried(about.plan, about.possible, about.entries)
  const missing = missingMembers(about).map(([uid, { name, tasks }]) => ({ uid, name, tasks }))
  return {
    not_carried: Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0)),
    ...(missing.length > 0 && { members_not_in_target: missing }),
  }
}

/** Created, or compared, beyond records and their texts. */
function showFurther(stdout: Output, counts: Partial<Record<FurtherKind, number>>): void {
  const texts = FURTHER_KINDS.flatMap((kind) => {
    const { word, words } = FURTHER[kind]
    return (counts[kind] ?? 0) > 0 ? [formatNumber(counts[kind] ?? 0, word, words)] : []
  })
  if (texts.length > 0) stdout.line(`    ${texts.join(', ')}`)
}

function countsText({ page, post, task, comment }: Counts): string {
  const all = [formatNumber(page, 'page'), formatNumber(post, 'post'), formatNumber(task, 'task')]
  return [...all, ...(comment > 0 ? [formatNumber(comment, 'comment')] : [])].join(', ')
}

interface Group {
  readonly kind: AnyKind
  readonly reason: NotRestored['reason']
  readonly count: number
  readonly records: readonly { readonly id: string; readonly title: string | null; readonly message: string }[]
}

function grouped(notRestored: readonly NotRestored[]): Group[] {
  const groups = Map.groupBy(notRestored, ({ kind, reason }) => `${kind} ${reason}`)
  return [...groups.values()].flatMap((records) => {
    const [first] = records
    if (!first) return []
    const { kind, reason } = first
    return [
      {
        kind,
        reason,
        count: records.reduce((sum, { more = 0 }) => sum + 1 + more, 0),
        records: records.map(({ id, title, message }) => ({ id, title, message })),
      },
    ]
  })
}

function showGroup(stdout: Output, { kind, reason, count, records }: Group): void {
  stdout.line()
  if (reason === 'no_entry') {
    stdout.line(
      `Not restored: ${formatNumber(count, 'task')}, as no task group is given to create them in (--entry ENTRY_ID, or --entries)`,
    )
    return
  }
  const { word, words } = isFurther(kind) ? FURTHER[kind] : { word: kind }
  stdout.line(`Not restored: ${formatNumber(count, word, words)}`)
  if (reason === 'not_offered')
    stdout.line('The service does not offer this operation: it refused the first request. The next run tries again.')
  if (reason === 'may_exist')
    stdout.line(
      'The service may have created them nevertheless. Delete those that exist before the next run, which creates them again.',
    )
  const rows = records.map(({ id, title, message }) => [id, title, message])
  showTable(stdout, ['id', 'title', 'why'], rows, { most: SHOWN })
}

/** What cannot be restored, with its number. */
function notCarriedRows({ plan, possible, entries }: Pick<About, 'plan' | 'possible' | 'entries'>) {
  const left = notCarried(plan, possible, entries)
  return Object.entries(UNRESTORABLE_WORDS).flatMap(([name, words]) => {
    const count = left[name as keyof Unrestorable] // keys of a record are its key type
    return count > 0
      ? [{ count, words: name === 'members' && possible.kinds.has('member') ? NOT_IN_TARGET : words }]
      : []
  })
}

const NOT_IN_TARGET = 'members of tasks who are not members of the project'

/** The same in one line, if the service offers anything beyond the documented operations; else `null`. */
export function notCarriedText(plan: Plan, about: Pick<About, 'possible' | 'entries'>): string | null {
  if (about.possible.kinds.size === 0) return null
  const texts = notCarriedRows({ plan, ...about }).map(({ count, words }) => `${words} (${formatCount(count)})`)
  return texts.length === 0 ? null : texts.join('; ')
}

function showNotCarried(stdout: Output, about: Pick<About, 'plan' | 'possible' | 'entries'>): void {
  const rows = notCarriedRows(about)
  if (rows.length === 0) return
  stdout.line()
  stdout.line('Cannot be created through the service:')
  for (const { count, words } of rows) stdout.line(`  ${formatCount(count).padStart(9)}  ${words}`)
  const missing = missingMembers(about)
  if (missing.length === 0) return
  stdout.line()
  stdout.line('Not members of the project:')
  const people = missing.map(([uid, { name, tasks }]) => [uid, name, tasks])
  showTable(stdout, ['user id', 'name', 'tasks'], people, { most: SHOWN })
}
