import { once } from 'node:events'
import { emptyProject } from '@collab-etl/harness/records'
import { type Behaviour, type Exchange, type ProjectState, Store, startSandbox } from '@collab-etl/sandbox'
import { PEOPLE, person } from './people.ts'
import { held, type TaskList, taskList } from './task-list.ts'
import { CHANGED_ONE_IN, CHANGED_REST, pidOf, TOKEN_VARIABLE, type World } from './world.ts'

// The service of the benches, in its own process: `node server.ts WORLD`. It is controlled by messages and ends with its parent.
// A sandbox whose tasks are generated, because the sandbox itself holds its records in memory.

/** First number of archived tasks, beyond those of other tasks. */
const ARCHIVED_FROM = 1_500_000_000

// Passed by `start-source.ts`.
const world = JSON.parse(process.argv[2] ?? '') as World
const projects = new Map(Array.from({ length: world.projects }, (_, number) => [pidOf(number), number]))
const store = new Store({
  sequence: 0,
  seed: '1',
  caller: person(0),
  users: PEOPLE,
  personal_webhooks: [],
  projects: [...projects].map(([pid, number]) => {
    const members: ProjectState['members'] = [{ user: person(0), role: 1, permission: 31 }]
    return { ...emptyProject(pid, number), created_by: person(0), members }
  }),
})
let lists = listsOf(false)

/** A list of tasks for each project. @param changed whether 1 % of the tasks are in their second version */
function listsOf(changed: boolean): Map<string, TaskList> {
  const isChanged = changed ? (number: number) => number % CHANGED_ONE_IN === CHANGED_REST : () => false
  const { tasks: count, streamed } = world
  return new Map(
    [...projects].map(([pid, number]) => {
      const list = taskList({ pid, first: number * count, count, changed: isChanged })
      return [pid, streamed ? list : held(list)]
    }),
  )
}

function archivedPage({ params }: Exchange): TaskList {
  const [page, size] = [Number(params['page']), Number(params['size'])]
  const start = (page - 1) * size
  const count = Math.max(0, Math.min(size, world.archivedTasks - start))
  const pid = String(params['pid'])
  return taskList({ pid, first: ARCHIVED_FROM + start, count, bare: true, changed: () => false })
}

/** Answers with a list what the sandbox answers with status 200. */
function sending(listOf: (exchange: Exchange) => TaskList | undefined): Behaviour {
  return async (exchange) => {
    const { response, status, text } = exchange
    const list = status === 200 ? listOf(exchange) : undefined
    const byteLength = list?.byteLength ?? Buffer.byteLength(text)
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': byteLength })
    // a client may disconnect
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    for (const piece of list?.pieces() ?? [text]) {
      if (!response.write(piece)) await once(response, 'drain', { signal: gone.signal }).catch(() => {})
      if (response.destroyed) return
    }
    response.end()
  }
}

const { baseUrl, follow } = await startSandbox({
  store,
  token: process.env[TOKEN_VARIABLE] ?? '',
  latencyMs: world.latencyMs,
})
follow([
  { on: 'tasks.list', does: sending(({ params }) => lists.get(String(params['pid']))) },
  { on: 'tasks.archived.list', does: sending(archivedPage) },
])
process.on('message', (message: { changed: boolean }) => {
  lists = listsOf(message.changed)
  process.send?.({ changed: message.changed })
})
process.on('disconnect', () => process.exit())
process.send?.({ baseUrl })
