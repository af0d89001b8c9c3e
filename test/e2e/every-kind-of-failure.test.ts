import { type FaultKind, type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../harness/commands.ts'
import { lanes } from '../harness/lanes.ts'
import { asLines, warehouseRows } from '../harness/warehouse-rows.ts'

const [lane] = lanes()
const TABLES = ['tasks', 'task_labels', 'pages', 'events', 'posts']

let sandbox: Sandbox
let warehouse: Awaited<ReturnType<NonNullable<typeof lane>['open']>>
let pid: string
let before: Awaited<ReturnType<typeof warehouseRows>>

const env = () => ({ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, ...warehouse.env })
const snapshot = (...flags: string[]) =>
  run('collab-extract', ['snapshot', '--json', '--retries', '1', '--timeout', '2', ...flags], { env: env() })

beforeAll(async () => {
  if (!lane) throw new Error('no warehouse lane at all')
  sandbox = await startSandbox({ seed: 5, projects: 2, tasks: 60, archived: 60, pages: 16, posts: 8, events: 20 })
  warehouse = await lane.open()
  pid = sandbox.pids[0] ?? ''
  expect((await snapshot()).code).toBe(0)
  before = await warehouseRows(warehouse.env, TABLES)
  // From here on the service holds something else than the warehouse: what is wrongly stored or deleted shows.
  sandbox.store.change(pid, (project) => {
    project.tasks.splice(0, 2)
    for (const task of project.tasks) task.name = `changed: ${task.name}`
  })
})

afterAll(async () => {
  await sandbox.close()
  await warehouse[Symbol.asyncDispose]()
})

const KINDS: readonly (readonly [FaultKind, RegExp])[] = [
  ['error', /^600001$/],
  ['http', /^HTTP_503$/],
  ['rate_limit', /^HTTP_429$/],
  ['reset', /^RESET$/],
  ['stall', /^TIMEOUT$/],
  ['error_in_200', /^600001$/],
  ['empty', /^EMPTY$/],
  ['null', /^WRONG_TYPE$/],
  ['object', /^WRONG_TYPE$/],
  ['reset_in_body', /^(RESET|TRUNCATED)$/],
  ['truncate', /^(RESET|TRUNCATED)$/],
  ['truncate_chunked', /^(RESET|TRUNCATED)$/],
  ['stall_in_body', /^TIMEOUT$/],
  // Its list does not close, though the body ends where HTTP says: what came is taken for a part.
  ['invalid_json', /^TRUNCATED$/],
]

describe('a list that fails for good, whatever the way, is a failed scope: exit 3, named, and its rows stay as they were', () => {
  test.each(KINDS)('%s', async (kind, code) => {
    sandbox.faults.clear()
    sandbox.faults.add({ kind, operation: 'tasks.list', where: { pid }, times: 'always', retryAfter: 0 })
    const { code: exitCode, stdout } = await snapshot('--project', pid)
    const document = JSON.parse(stdout)
    expect([exitCode, document.status]).toEqual([3, 'partial'])
    const scopes: { pid: string; stream: string; status: string; error: { code: string } }[] = document.scopes
    const failed = scopes.filter(({ status }) => status !== 'complete')
    expect(failed).toEqual([expect.objectContaining({ pid, stream: 'tasks', status: 'failed' })])
    expect(failed[0]?.error.code).toMatch(code)
    const after = await warehouseRows(warehouse.env, TABLES)
    for (const table of TABLES)
      expect([table, asLines(after[table] ?? [])]).toEqual([table, asLines(before[table] ?? [])])
  })

  test('an answer that fails once is cured by a retry: exit 0, and all of the new state is stored', async () => {
    sandbox.faults.clear()
    sandbox.faults.add({ kind: 'reset_in_body', operation: 'tasks.list', where: { pid }, times: 1 })
    const { code, stdout } = await snapshot('--project', pid)
    expect(code).toBe(0)
    const document = JSON.parse(stdout)
    expect(document.rows.tasks).toMatchObject({ deleted: 2, updated: sandbox.store.project(pid).tasks.length })
    expect(document.retries).toBe(1)
  })
})
