import type { StreamName } from '@collab-etl/contract/streams'
import { firstOf } from '../records/scope-memory.ts'
import { SHOWN_COLUMN, streamIndex } from '../staging/shape.ts'
import { stageSeen } from './both-lists.ts'
import { type ListedNames, settleEntries } from './listed-entries.ts'
import type { StagedContext } from './staged-context.ts'
import { streamOf } from './table-sql.ts'

/*
 * Tasks show the name of their group, tasks and events show their project. Records may show different values of one group or project. The
 * group's row has the value of the list of groups, or without one that of the task that was updated last, the project's row its own; a record that shows another value has it in
 * `extra`. Such a record has no hash: it is compared value by value, because the row that it refers to may change without it.
 */

const TASK_STREAMS = ['tasks', 'archived_tasks'] as const

/** A task group of which tasks show several names. */
interface Contested {
  readonly entryId: string
  /** The name of the group; `null`: it has none, because the list of groups lacks it. */
  readonly winner: string | null
  /** The name that the first task of each stream shows, where it is not noted. */
  readonly first: ReadonlyMap<StreamName, string>
}

/** Settles which of several names and projects shown are stored, and keeps the others with their records. */
export async function settleShown(context: StagedContext): Promise<void> {
  const contested = contestedEntries(context, await settleEntries(context))
  if (contested.length > 0) await settleNames(context, contested)
  for (const stream of [...TASK_STREAMS, 'events'] as const) await settleProject(context, stream)
}

function contestedEntries(context: StagedContext, listed: ListedNames | null): Contested[] {
  const merged = new Map<string, { names: Map<string, string>; first: Map<StreamName, string> }>()
  for (const stream of TASK_STREAMS) {
    for (const [entryId, names] of context.scope(stream)?.shown.entryNames ?? []) {
      const entry = merged.get(entryId) ?? { names: new Map(), first: new Map() }
      merged.set(entryId, entry)
      const first = firstOf(names)
      if (first !== undefined) entry.first.set(stream, first)
      for (const [name, time] of names) if ((entry.names.get(name) ?? '') <= time) entry.names.set(name, time)
    }
  }
  return [...merged].flatMap(([entryId, { names, first }]) => {
    const known = listed?.names.get(entryId) ?? (listed?.isWhole === true ? null : undefined)
    const winner = known === undefined ? freshest(names) : known
    return [...names.keys()].some((name) => name !== winner) ? [{ entryId, winner, first }] : []
  })
}

/** The name with the last update; of several, the first by its characters. */
function freshest(names: ReadonlyMap<string, string>): string {
  const [best] = [...names].sort(([a, at], [b, bt]) => (at === bt ? (a < b ? -1 : 1) : at < bt ? 1 : -1))
  return best?.[0] ?? ''
}

async function settleNames(context: StagedContext, contested: readonly Contested[]): Promise<void> {
  const hidden = contested.filter(({ winner, first }) => [...first.values()].some((name) => name !== winner))
  await stageUnchanged(
    context,
    'tasks',
    't.entry_id = ANY (@ids)',
    hidden.map(({ entryId }) => entryId),
  )
  await context.run(
    `DELETE FROM ${context.sqlOf('entries').stage} s USING unnest(@ids, @winners) AS w (entry_id, winner)
     WHERE s.pid = @pid AND s.entry_id = w.entry_id AND s.name <> w.winner`,
    { ids: contested.map(({ entryId }) => entryId), winners: contested.map(({ winner }) => winner) },
  )
  const places = contested.flatMap(({ entryId, winner, first }) => {
    return [...first].map(([stream, name]) => ({ entryId, winner, stream, name }))
  })
  const shown = `CASE WHEN s.${SHOWN_COLUMN} ? 'entry_name' THEN s.${SHOWN_COLUMN} ->> 'entry_name' ELSE f.first END`
  await context.run(
    `UPDATE ${context.sqlOf('tasks').stage} s SET record_hash = NULL,
       extra = CASE WHEN ${shown} IS DISTINCT FROM f.winner
         THEN coalesce(s.extra, '{}') || jsonb_build_object('entry_name', ${shown}) ELSE s.extra END
     FROM unnest(@ids, @streams, @texts, @winners) AS f (entry_id, stream, first, winner)
     WHERE s.pid = @pid AND s.entry_id = f.entry_id AND ${streamOf('s')} = f.stream AND (s.${SHOWN_COLUMN} ? 'entry_name' OR f.first IS DISTINCT FROM f.winner)`,
    {
      ids: places.map(({ entryId }) => entryId),
      streams: places.map(({ stream }) => streamIndex(stream)),
      texts: places.map(({ name }) => name),
      winners: places.map(({ winner }) => winner),
    },
  )
}

async function settleProject(context: StagedContext, stream: (typeof TASK_STREAMS)[number] | 'events'): Promise<void> {
  const projects = context.scope(stream)?.shown.projects
  const first = projects && firstOf(projects)
  if (projects === undefined || first === undefined || projects.size < 2) return
  const own = await ownProject(context)
  const winner = projects.has(own) ? own : mostShown(projects)
  const table = stream === 'events' ? 'events' : 'tasks'
  if (first !== winner) {
    const isOfStream = table === 'events' ? 'true' : `t.archived IS ${stream === 'archived_tasks' ? '' : 'NOT'} TRUE`
    await stageUnchanged(context, table, `${isOfStream} AND @ids IS NOT NULL`, [stream])
  }
  const other = `(SELECT jsonb_object_agg(e.key, e.value) FROM jsonb_each(coalesce(s.${SHOWN_COLUMN} -> 'project', (@texts)[1]::jsonb)) e
    WHERE e.value IS DISTINCT FROM @shown -> e.key)`
  await context.run(
    `UPDATE ${context.sqlOf(table).stage} s SET record_hash = NULL
     WHERE s.pid = @pid AND ${streamOf('s')} = ${streamIndex(stream)} AND s.${SHOWN_COLUMN} ? 'project'`,
  )
  await context.run(
    `UPDATE ${context.sqlOf(table).stage} s SET record_hash = NULL,
       extra = coalesce(s.extra, '{}') || jsonb_build_object('project', ${other} || coalesce(s.extra -> 'project', '{}'))
     WHERE s.pid = @pid AND ${streamOf('s')} = ${streamIndex(stream)} AND NOT coalesce(s.extra -> 'project' ? 'pid', false) AND ${other} IS NOT NULL`,
    { texts: [first], shown: winner },
  )
}

/** The values of the project's own row, in the form in which records show them. */
async function ownProject(context: StagedContext): Promise<string> {
  const { stage, target } = context.sqlOf('projects')
  const from = context.isStaged('projects')
    ? `${stage} s WHERE s.pid = @pid`
    : `${target} t WHERE t.pid = @pid AND t.deleted_at IS NULL`
  const { rows } = await context.run(`SELECT name, pic, bg FROM ${from} LIMIT 1`)
  const [name = null, pic = null, bg = null] = rows[0] ?? []
  const said = Object.entries({ name, pic, bg }).filter(([, value]) => value !== null)
  return JSON.stringify(Object.fromEntries(said))
}

/** The values that most records show; of several, the first by its characters. */
function mostShown(projects: ReadonlyMap<string, number>): string {
  const [most] = [...projects].sort(([a, n], [b, m]) => (n === m ? (a < b ? -1 : 1) : m - n))
  return most?.[0] ?? '{}'
}

/** Stages unchanged tasks or events that were not staged, because the names that they contain count as well. */
async function stageUnchanged(
  context: StagedContext,
  name: 'tasks' | 'events',
  condition: string,
  ids: readonly string[],
): Promise<void> {
  const hashes = context.task.hashes.get(name)
  if (hashes === undefined || ids.length === 0) return
  const sql = context.sqlOf(name)
  const { rows } = await context.run(
    `SELECT t.record_hash FROM ${sql.target} t
     WHERE t.pid = @pid AND t.deleted_at IS NULL AND t.record_hash IS NOT NULL AND ${condition}
       AND NOT EXISTS (SELECT FROM ${sql.stage} s WHERE s.pid = @pid AND ${sql.same('s', 't')})`,
    { ids },
  )
  const seen = rows.map(([hash]) => ({ seq: hashes.seqOf(String(hash)), hash: String(hash) }))
  await stageSeen(
    context,
    sql.table,
    seen.filter(({ seq }) => seq >= 0),
  )
}
