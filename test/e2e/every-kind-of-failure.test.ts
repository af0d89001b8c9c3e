import { backends } from '@collab-etl/harness/backends'
import { run } from '@collab-etl/harness/commands'
import type { PlainTables } from '@collab-etl/harness/expected-rows'
import { asLines, warehouseRows } from '@collab-etl/harness/warehouse-rows'
import { type FaultKind, type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const [backend] = backends()
const TABLES = ['tasks', 'task_labels', 'pages', 'events', 'posts']

const KINDS: readonly (readonly [FaultKind, RegExp])[] = [
  ['error', /^600001$/],
  ['http', /^HTTP_503$/],
  ['rate_limit', /^HTTP_429$/],
  ['reset', /^RESET$/],
  ['stall', /^TIMEOUT$/],
  ['error_in_200', /^600001$/],
  ['empty', /^EMPTY$/],
  ['null', /^NULL_LIST$/],
  ['object', /^WRONG_TYPE$/],
  ['reset_in_body', /^(RESET|TRUNCATED)$/],
  ['truncate', /^(RESET|TRUNCATED)$/],
  ['truncate_chunked', /^(RESET|TRUNCATED)$/],
  ['stall_in_body', /^TIMEOUT$/],
  // Its list does not close, though the body ends where HTTP says: what came is taken for a part.
  ['invalid_json', /^TRUNCATED$/],
]

interface Scope {
  readonly pid: string | null
  readonly stream: string
  readonly status: string
  readonly error: { readonly code: string } | null
}

let sandbox: Sandbox
let warehouse: Awaited<ReturnType<NonNullable<typeof backend>['open']>>
let withTasks: readonly string[]
let before: PlainTables

const snapshot = async (...flags: string[]) => {
  const { code, stdout } = await run('collab-extract', ['snapshot', '--json', '--timeout', '2', ...flags], {
    env: { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, ...warehouse.env },
  })
  return { code, document: JSON.parse(stdout) }
}

/** The project whose list of tasks fails in that way: some of the sandbox's have none. */
const projectOf = (kind: FaultKind) => withTasks[KINDS.findIndex(([name]) => name === kind)] ?? ''

const linesOf = (rows: PlainTables, table: string, pid: string) =>
  asLines((rows[table] ?? []).filter((row) => row['pid'] === pid))

beforeAll(async () => {
  if (!backend) throw new Error('no backend of the warehouse')
  const projects = KINDS.length + 4
  sandbox = await startSandbox({
    seed: 5,
    projects,
    tasks: 20 * projects,
    archived: 10 * projects,
    pages: 4 * projects,
    posts: 2 * projects,
    events: 4 * projects,
  })
  withTasks = sandbox.pids.filter((pid) => sandbox.store.project(pid).tasks.length > 2)
  warehouse = await backend.open()
  expect((await snapshot()).code).toBe(0)
  before = await warehouseRows(warehouse.env, TABLES)
  // From here on the service holds something else than the warehouse: what is wrongly stored or deleted shows.
  for (const pid of sandbox.pids) {
    sandbox.store.change(pid, (project) => {
      project.tasks.splice(0, 2)
      for (const task of project.tasks) task.name = `changed: ${task.name}`
    })
  }
})

afterAll(async () => {
  await sandbox.close()
  await warehouse[Symbol.asyncDispose]()
})

describe('lists that fail for good, each in its way: exit 3, the scope is named, and its rows stay as they were', () => {
  let after: PlainTables
  let failed: readonly Scope[]

  beforeAll(async () => {
    for (const [kind] of KINDS) {
      sandbox.faults.add({
        kind,
        operation: 'tasks.list',
        where: { pid: projectOf(kind) },
        times: 'always',
        retryAfter: 0,
      })
    }
    const { code, document } = await snapshot('--retries', '1')
    expect([code, document.status]).toEqual([3, 'partial'])
    failed = (document.scopes as Scope[]).filter(({ status }) => status !== 'complete') // what `--json` promises
    after = await warehouseRows(warehouse.env, TABLES)
  })

  test.each(KINDS)('%s', (kind, code) => {
    const pid = projectOf(kind)
    const ofProject = failed.filter((scope) => scope.pid === pid)
    // null may be an empty list: it is read, and deletes nothing
    const status = kind === 'null' ? 'partial' : 'failed'
    expect(ofProject).toEqual([expect.objectContaining({ stream: 'tasks', status })])
    expect(ofProject[0]?.error?.code).toMatch(code)
    expect(linesOf(before, 'tasks', pid).length).toBeGreaterThan(0)
    for (const table of TABLES) {
      expect([table, linesOf(after, table, pid)]).toEqual([table, linesOf(before, table, pid)])
    }
  })

  test('and no other scope failed', () => {
    expect(failed).toHaveLength(KINDS.length)
  })
})

test('an answer that fails once is cured by a retry: exit 0, and all of the new state is stored', async () => {
  const pid = projectOf('reset_in_body')
  sandbox.faults.clear()
  sandbox.faults.add({ kind: 'reset_in_body', operation: 'tasks.list', where: { pid }, times: 1 })
  const { code, document } = await snapshot('--project', pid, '--retries', '1')
  expect(code).toBe(0)
  expect(document.rows.tasks).toMatchObject({ deleted: 2, updated: sandbox.store.project(pid).tasks.length })
  expect(document.retries).toBe(1)
})
