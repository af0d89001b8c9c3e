import type { RecordKind } from '@collab-etl/contract/streams'
import { drawsNewCases } from '@collab-etl/harness/thorough-tag'
import fc from 'fast-check'
import type { TableName } from '../../src/tables/table.ts'
import { type Expected, Model } from './history-model.ts'
import type { State } from './history-rows.ts'
import { runModel } from './history-run.ts'
import type { RunScript } from './history-script.ts'
import { type Step, step } from './history-states.ts'
import { Service } from './history-telling.ts'
import type { StreamInput } from './snapshot.ts'

/** For each of the chosen ones. */
const DRAWN = 33

/**
 * Of many drawn sequences of steps `count` that together reach as much as possible: as many random ones would delete no task, or refuse
 * nothing. The model alone tells what a sequence reaches, which takes no database.
 */
export function historyCases(count: number): [Step[]][] {
  const seed = drawsNewCases() ? {} : { seed: 1 }
  const sequences = fc.sample(fc.array(step, { minLength: 2, maxLength: 4 }), { numRuns: DRAWN * count, ...seed })
  const left = sequences.map((steps) => ({ steps, reached: reachedBy(steps) }))
  const chosen: [Step[]][] = []
  const known = new Set<string>()
  while (chosen.length < count) {
    const news = left.map(({ reached }) => [...reached].filter((what) => !known.has(what)).length)
    const [best] = left.splice(news.indexOf(Math.max(...news)), 1)
    if (best === undefined) break
    chosen.push([best.steps])
    for (const what of best.reached) known.add(what)
  }
  return chosen
}

/** The scripts of a sequence, in their order, as a test carries them out. */
function reachedBy(steps: readonly Step[]): Set<string> {
  const [service, model] = [new Service(), new Model()]
  let runs = 0
  const reached = steps.flatMap((each) => {
    const scripts = [service.next(each), ...(each.followedBy === 'whole' ? [service.whole(each)] : [])]
    return scripts.flatMap((script) => {
      const before = model.state()
      const expected = runModel(model, script, new Date(1000 * runs++).toISOString())
      return outcomesOf(script, expected, before, model.state())
    })
  })
  return new Set(reached)
}

/** What a run met where rows were stored, and what it did to them. */
function outcomesOf(script: RunScript, expected: readonly Expected[], before: State, after: State): string[] {
  const sizeOf = (state: State, table: TableName) => state.get(table)?.size ?? 0
  const ofPublications = script.publications.flatMap(({ pid, streams, unsure }, index) => {
    const { refused = [], counts = {} } = expected[index] ?? {}
    const isStored = [...before.values()].some((rows) => [...rows.values()].some((row) => row['pid'] === pid))
    return [
      ...refused.map((stream) => `refused ${stream}`),
      ...Object.entries(counts).flatMap(([table, { deleted }]) => (deleted > 0 ? [`deleted ${table}`] : [])),
      ...Object.entries(streams).flatMap(([stream, { status }]) => (isStored && status ? [`${status} ${stream}`] : [])),
      ...Object.entries(streams).flatMap(([stream, input]) => oddities(input).map((what) => `${what} ${stream}`)),
      ...[...unsure.keys()].filter((table) => sizeOf(before, table) > 0).map((table) => `unsure ${table}`),
    ]
  })
  const unlisted = (state: State) =>
    [...(state.get('projects') ?? [])].some(([, row]) => row['unlisted_since'] !== null)
  return [
    ...ofPublications,
    ...(sizeOf(after, 'projects') < sizeOf(before, 'projects') ? ['project gone'] : []),
    ...(unlisted(after) ? ['project unlisted'] : []),
    ...(script.finishes ? [] : ['died']),
    ...(script.forgetsHashes ? ['forgets hashes'] : []),
  ]
}

/** Streams that began again, and records that came twice or were gone after they had been read. */
function oddities({ voided, batches = [] }: StreamInput): string[] {
  const idsOf = (...kinds: RecordKind[]) =>
    // the first field of these records is their id
    batches
      .filter(({ kind }) => kinds.includes(kind))
      .flatMap(({ records }) => records.map((of) => Object.values(of)[0]))
  const ids = idsOf('task', 'archived_task', 'page', 'post', 'file')
  const isGone = idsOf('not_found_post', 'not_found_file').some((id) => ids.includes(id))
  return [
    ...(voided ? ['restarted'] : []),
    ...(new Set(ids).size < ids.length ? ['twice'] : []),
    ...(isGone ? ['vanishing'] : []),
  ]
}
