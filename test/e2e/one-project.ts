import type { OperationId } from '@collab-etl/contract'
import { createClient, parseLinkPatterns, readProjects } from '@collab-etl/core'
import { emptyProject, user } from '@collab-etl/harness/records'
import { type Exchange, type Rule, Store, startSandbox } from '@collab-etl/sandbox'
import type { PublishResult, Warehouse } from '@collab-etl/warehouse'

/** A service whose projects have tasks that the test sets, each as the JSON text that is sent, and nothing else. */
export async function startService() {
  const store = new Store({
    sequence: 0,
    seed: '1',
    caller: user(1),
    users: [user(1)],
    personal_webhooks: [],
    projects: [],
  })
  const sandbox = await startSandbox({ store, token: 't' })
  const tasks = new Map<string, readonly string[]>()
  /** Operations whose next answer breaks off. */
  const breaking = new Set<OperationId>()
  const rule: Rule = {
    on: 'tasks.list',
    does: ({ params, response }: Exchange) => {
      const body = `[${(tasks.get(String(params['pid'])) ?? []).join(',')}]`
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      if (!breaking.delete('tasks.list')) response.end(body)
      else response.write(body.slice(0, body.length / 2), () => setTimeout(() => response.destroy(), 20))
    },
  }
  sandbox.follow([rule])
  /** Shows a project with these tasks. */
  const show = (pid: string, sent: readonly string[]) => {
    tasks.set(pid, sent)
    store.addProject(emptyProject(pid, 1))
  }
  return { baseUrl: sandbox.baseUrl, show, breaking, close: () => sandbox.close() }
}

/** How a night reads. */
export interface HowRead {
  readonly isFull?: boolean
  /** Changes when records would be read in another way: with other link patterns. */
  readonly readAs?: string
  readonly parsesAll?: boolean
  readonly toolVersion?: string
}

/** A night as it was read: what was published, without what differs from run to run, and how many records were not parsed. */
export interface ReadNight {
  readonly published: unknown
  readonly unparsed: number
}

const RANGE = { eventsFrom: new Date('2020-01-01T00:00:00.000Z'), eventsTo: new Date('2026-01-01T00:00:00.000Z') }

/** Reads a project into a warehouse. */
export async function readNight(
  warehouse: Warehouse,
  service: { readonly baseUrl: string },
  pid: string,
  { isFull = false, readAs = 'a', parsesAll = false, toolVersion = '1' }: HowRead,
): Promise<ReadNight> {
  let unparsed = 0
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://service', toolVersion, full: isFull, readAs, parsesAll })
  const client = createClient({ baseUrl: service.baseUrl, token: 't', retries: 1, backoff: { baseMs: 1 } })
  let published: PublishResult | undefined
  try {
    await readProjects(client, [{ pid, listed: null }], {
      read: { ...RANGE, linkPatterns: parseLinkPatterns([]), knownPosts: [], knownFiles: [] },
      openSink: async () => {
        const stage = await run.stage(pid)
        return {
          sink: stage,
          onEvent: (event) => {
            if (event.type === 'batch') unparsed += event.batch.unchanged?.length ?? 0
          },
          finish: async () => {
            published ??= await stage.publish({ maxShrink: 1, allowShrink: true })
          },
        }
      },
    })
  } finally {
    await client.close()
  }
  await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
  const scopes = published?.scopes.map(({ startedAt: _, finishedAt: __, ...scope }) => scope)
  const { tables, losses, unread } = published ?? {}
  return { published: { scopes, tables, losses, unread }, unparsed }
}
