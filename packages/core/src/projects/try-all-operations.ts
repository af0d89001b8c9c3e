import { tryList, tryTaskComments } from '../capabilities/try-list.ts'
import { FirstRecords } from '../capabilities/try-records.ts'
import type { Client } from '../client.ts'
import type { RecordBatch } from '../operations/results.ts'
import { isPermitted, type ProjectToRead } from '../streams/project-list.ts'
import { listOf } from '../walk/list-of.ts'
import { isTeam } from './read-teams.ts'
import { tryOperations } from './try-operations.ts'

/** Days around now in which an event is looked for. */
const EVENT_DAYS = 366
const DAY = 86_400_000

/**
 * Tries out every optional operation, with records of the first readable project: outside of a run, which tries them out while it reads.
 * An operation on a record of which the project has none is not tried.
 */
export async function tryAllOperations(
  client: Client,
  projects: readonly ProjectToRead[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  await tryOperations(client, projects, { signal })
  await tryTeams(client, signal)
  const pid = projects.find(isPermitted)?.pid
  if (pid === undefined) return
  const records = new FirstRecords()
  const task = await firstOf(client.tasks.list.batches({ pid }, { signal }))
  const page = await firstOf(client.pages.list.batches({ pid }, { signal }))
  const [start, end] = [Date.now() - EVENT_DAYS * DAY, Date.now() + EVENT_DAYS * DAY]
  const event = await firstOf(client.events.list.batches({ pid, start, end }, { signal }))
  records.note({ kind: 'task', records: task })
  records.note({ kind: 'page', records: page })
  records.note({ kind: 'event', records: event })
  await records.tryOut(client, pid, signal)
  const [tid] = task.map((first) => first.tid)
  if (tid === undefined) return
  await tryTaskComments(client, { pid, tid }, signal)
}

async function tryTeams(client: Client, signal: AbortSignal | undefined): Promise<void> {
  let teams: readonly { readonly team_id: string }[] = []
  await client.capabilities.tryOut('teams.list', async (how) => {
    teams = await listOf(client.teams.list.batches({}, { ...how, signal }))
  })
  const of = teams.find(isTeam)
  if (of === undefined) return
  const { team_id } = of
  await client.capabilities.tryOut('teams.get', (how) => client.teams.get({ team_id }, { ...how, signal }))
  await tryList(client, 'teams.members.list', client.teams.members.list, { team_id }, signal)
  await tryList(client, 'teams.projects.list', client.teams.projects.list, { team_id }, signal)
}

/** The first record of a list, of which no more is read than its first part. */
async function firstOf<R>(batches: AsyncIterable<RecordBatch<R>>): Promise<readonly R[]> {
  for await (const { records } of batches) if (records.length > 0) return records.slice(0, 1)
  return []
}
