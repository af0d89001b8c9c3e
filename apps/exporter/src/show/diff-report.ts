import { formatFacts } from '@collab-etl/backups'
import {
  CHANGES,
  type Change,
  type Comparison,
  detailsOf,
  type Patch,
  projectOf,
  type RecordKind,
  WHY_LEFT_OUT,
} from '@collab-etl/backups/compare'
import { formatCount, formatDuration, type Output, plainText, terminalText } from '@collab-etl/cli'
import { tableText } from './tables.ts'

export interface ShownDiff {
  readonly before: string
  readonly after: string
  readonly comparison: Comparison
  /** Names of projects by their ids. */
  readonly projects: ReadonlyMap<string, string | null>
  readonly withPatches: boolean
  readonly milliseconds: number
}

type Counts = Readonly<Record<string, number>>

/** Shows what differs between two backups: by project, then the patches, then a line of counts. */
export async function reportDiff(stdout: Output, json: boolean, diff: ShownDiff): Promise<void> {
  if (stdout.wantsDocument) stdout.document(await documentOf(diff))
  if (json) return
  const { changes } = diff.comparison
  for (const [pid, own] of Map.groupBy(changes, projectOf)) {
    stdout.line(stdout.bold(projectTitle(diff, pid)))
    const rows = own.map((change) => {
      const details = detailsOf(change).map(([words, ...values]) =>
        [words, values.map((value) => value ?? 'none').join(' → ')].join(' ').trimEnd(),
      )
      return [change.changes.join(', '), change.kind, titleOf(change), change.id, details.join(', ')]
    })
    await stdout.write(`${tableText(stdout, ['change', 'what', 'title', 'id', 'details'], rows)}\n\n`)
  }
  if (diff.withPatches)
    for await (const { text } of shownPatches(diff)) await stdout.write(`${terminalText(stdout, text)}\n`)
  for (const line of leftOutLines(diff)) stdout.line(line)
  stdout.line(summary(stdout, diff))
}

/** Maximum number of left-out projects that are named; the JSON document has all of them. */
const LEFT_OUT_SHOWN = 20

/** What was not compared, by project. */
function leftOutLines({ before, after, comparison }: ShownDiff): string[] {
  const { leftOut } = comparison
  const where = { before: plainText(before), after: plainText(after), both: 'both' }
  const lines = [
    ...Map.groupBy(leftOut, ({ pid, not_in, why }) => JSON.stringify([pid, not_in, why])).values(),
  ].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const kinds = own.map(({ kind }) => `${kind}s`).join(', ')
    const whose = first.pid === null ? '' : ` of project ${plainText(first.pid)}`
    return [`Not compared: ${kinds}${whose}, not covered by ${where[first.not_in]} (${WHY_LEFT_OUT[first.why]})`]
  })
  const more = lines.length - LEFT_OUT_SHOWN
  return more > 0 ? [...lines.slice(0, LEFT_OUT_SHOWN), `and ${formatCount(more)} more, in --json`] : lines
}

async function documentOf(diff: ShownDiff): Promise<unknown> {
  const { before, after, comparison, withPatches, milliseconds } = diff
  const { form, kinds, changes, leftOut } = comparison
  const patches = new Map<Change, string>()
  if (withPatches) for await (const { change, text } of shownPatches(diff)) patches.set(change, text)
  return {
    before,
    after,
    form,
    equal: changes.length === 0,
    left_out: leftOut,
    counts: Object.fromEntries(kinds.map((kind) => [`${kind}s`, countsOf(changes, kind)])),
    changes: changes.map((change) => {
      const { placing: _placing, ...shown } = change
      return { ...shown, ...(withPatches && { patch: patches.get(change) ?? null }) }
    }),
    duration_ms: Math.round(milliseconds),
  }
}

/** Those that have anything to show: an empty page that was added has not. */
async function* shownPatches({ comparison }: ShownDiff): AsyncGenerator<Patch, void, undefined> {
  for await (const patch of comparison.patches()) if (patch.text.includes('\n@@ ')) yield patch
}

function countsOf(changes: readonly Change[], kind: RecordKind): Counts {
  const own = changes.filter((change) => change.kind === kind)
  return Object.fromEntries(CHANGES.map((name) => [name, own.filter((change) => change.changes.includes(name)).length]))
}

function projectTitle({ projects }: ShownDiff, pid: string): string {
  const name = plainText(projects.get(pid) ?? '')
  return name === '' ? plainText(pid) : `${name} (${plainText(pid)})`
}

function titleOf({ before, after }: Change): string {
  return (after ?? before)?.title ?? 'untitled'
}

function summary(stdout: Output, { before, after, comparison, milliseconds }: ShownDiff): string {
  const { changes, form } = comparison
  const [a, b] = [plainText(before), plainText(after)]
  const how = `by their ${formatFacts(form).title}, in ${formatDuration(milliseconds)}`
  const common = comparison.leftOut.length === 0 ? '' : ' in what both cover'
  if (changes.length === 0) return `${stdout.bold(`No difference${common}`)}: ${a} and ${b} (${how})`
  const texts = comparison.kinds.flatMap((kind) => {
    const counts = countsOf(changes, kind)
    const parts = CHANGES.filter((name) => counts[name]).map((name) => `${formatCount(counts[name] ?? 0)} ${name}`)
    return parts.length === 0 ? [] : [`${kind}s ${parts.join(', ')}`]
  })
  return `${stdout.bold('Different')}: ${texts.join('; ')} (${a} → ${b}, ${how})`
}
