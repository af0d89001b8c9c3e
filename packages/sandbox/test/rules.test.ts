import { expect, test } from 'vitest'
import { value } from '../src/faults/behaviours.ts'
import { type Rule, Store, startSandbox } from '../src/index.ts'
import { operate, sandboxForTest } from './support.ts'

test('of the rules the first that matches counts, and each counts its own requests', async () => {
  const sandbox = await sandboxForTest()
  const [pid = '', other = ''] = sandbox.pids
  const rules: Rule[] = [
    { on: 'pages.list', pid, after: 1, first: 2, does: { kind: 'http', status: 503 } },
    { on: ['pages.list', 'projects.get'], pid, first: 1, does: { kind: 'error', errorCode: 400004, status: 404 } },
    { on: 'pages.list', where: (params) => params['pid'] === other, does: value((pages: unknown[]) => pages.slice(1)) },
  ]
  sandbox.follow(rules)
  sandbox.faults.add({ kind: 'http', status: 502, operation: 'pages.list', times: 'always' })
  const statuses: number[] = []
  for (const of of [pid, pid, pid, other]) statuses.push((await operate(sandbox, 'pages.list', { pid: of })).status)
  expect(statuses).toEqual([404, 503, 502, 200])
  expect((await operate(sandbox, 'pages.list', { pid: other })).json).toEqual(sandbox.store.truth(other).pages.slice(1))
  sandbox.follow([])
  sandbox.faults.clear()
  expect((await operate(sandbox, 'pages.list', { pid })).json).toEqual(sandbox.store.truth(pid).pages)
})

test('faults and rules apply to observed operations', async () => {
  const sandbox = await sandboxForTest({ extended: ['entries', 'task'] })
  const [pid = ''] = sandbox.pids
  sandbox.follow([{ on: 'entries.list', pid, first: 1, does: { kind: 'http', status: 503 } }])
  sandbox.faults.add({ kind: 'error_in_200', operation: 'entries.list', errorCode: 600001 })
  const asked = [await operate(sandbox, 'entries.list', { pid }), await operate(sandbox, 'entries.list', { pid })]
  expect(asked.map(({ status }) => status)).toEqual([503, 200])
  expect(asked[1]?.json).toMatchObject({ error_code: 600001, request: '/v1/entries' })
  expect(sandbox.requests.map(({ operation, fault }) => [operation, fault])).toEqual([
    ['entries.list', 'http'],
    ['entries.list', 'error_in_200'],
  ])
})

test('a sandbox shows a store that it is given', async () => {
  const { store } = await sandboxForTest({ seed: 2 })
  const sandbox = await startSandbox({ store: new Store(structuredClone(store.state) as never), host: '127.0.0.2' })
  try {
    expect(sandbox.baseUrl).toContain('//127.0.0.2:')
    expect(sandbox.pids).toEqual(store.readablePids())
  } finally {
    await sandbox.close()
  }
})
