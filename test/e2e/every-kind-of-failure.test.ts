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
  // The list is not closed although the body is complete for HTTP: it is treated as partial.
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

/** The project whose list of tasks fails; some projects have no tasks. */
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
  // From here on the service differs from the warehouse, so that wrong changes show.
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

describe('permanently failing lists: exit 3, the scope is named, its rows are unchanged', () => {
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
    failed = (document.scopes as Scope[]).filter(({ status }) => status !== 'complete') // as printed by `--json`
    after = await warehouseRows(warehouse.env, TABLES)
  })

  test.each(KINDS)('%s', (kind, code) => {
    const pid = projectOf(kind)
    const ofProject = failed.filter((scope) => scope.pid === pid)
    // null may be an empty list: it is accepted and deletes nothing
    const status = kind === 'null' ? 'partial' : 'failed'
    expect(ofProject).toEqual([expect.objectContaining({ stream: 'tasks', status })])
    expect(ofProject[0]?.error?.code).toMatch(code)
    expect(linesOf(before, 'tasks', pid).length).toBeGreaterThan(0)
    for (const table of TABLES) {
      expect([table, linesOf(after, table, pid)]).toEqual([table, linesOf(before, table, pid)])
    }
  })

  test('no other scope failed', () => {
    expect(failed).toHaveLength(KINDS.length)
  })
})

test('a retry cures an answer that fails once: exit 0, everything is stored', async () => {
  const pid = projectOf('reset_in_body')
  sandbox.faults.clear()
  sandbox.faults.add({ kind: 'reset_in_body', operation: 'tasks.list', where: { pid }, times: 1 })
  const { code, document } = await snapshot('--project', pid, '--retries', '1')
  expect(code).toBe(0)
  expect(document.rows.tasks).toMatchObject({ deleted: 2, updated: sandbox.store.project(pid).tasks.length })
  expect(document.retries).toBe(1)
})
