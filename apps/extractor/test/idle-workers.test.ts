import type { JobProgress, WorkerRow } from '@collab-etl/warehouse'
import { expect, test } from 'vitest'
import { IdleWorkers, whyNone } from '../src/snapshot/idle-workers.ts'

const ROW: WorkerRow = {
  worker: '1 host 7',
  started_at: '',
  seen_at: '',
  silent_seconds: 1,
  run_id: null,
  refusal: null,
  lacks: {},
  projects: [],
}

function watched(endsAt: number | null = null, hasOwn = false) {
  const warnings: string[] = []
  const rows: WorkerRow[] = []
  let now = 0
  const released: string[] = []
  const release = async (accounts: readonly string[]) => released.push(...accounts)
  const of = { runId: 'r', workers: async () => rows, warn: (text: string) => warnings.push(text), endsAt, hasOwn }
  const idle = new IdleWorkers({ ...of, accounts: ['anna', 'ben'], release }, () => now)
  const after = async (seconds: number, progress: Partial<JobProgress> = {}) => {
    now += seconds * 1000
    await idle.look({ open: 3, active: 0, done: 0, fatal: null, ...progress })
  }
  return { warnings, rows, released, after }
}

test('after 30 s without a worker it is said once, and again when the reason changes', async () => {
  const { warnings, rows, after } = watched()
  await after(0)
  await after(29)
  expect(warnings).toEqual([])
  await after(1)
  await after(60)
  expect(warnings).toEqual([expect.stringMatching(/for 30 s: none is running\. Start collab-extract worker --once/)])
  rows.push({ ...ROW, refusal: 'the run has another token; give this worker the same one' })
  await after(6)
  expect(warnings[1]).toContain('worker 1 host 7 cannot join: the run has another token')
})

test('projects that are read, or were just published, are no reason to warn', async () => {
  const { warnings, after } = watched()
  await after(60, { active: 1 })
  await after(29)
  await after(29, { done: 1 })
  await after(29, { done: 1 })
  await after(60, { open: 0, done: 4 })
  expect(warnings).toEqual([])
})

test('--max-duration ends the run, but not while a worker reads', async () => {
  const { rows, after } = watched(40_000)
  rows.push({ ...ROW, run_id: 'r' })
  await after(0)
  await after(41, { active: 1 })
  await after(24)
  await expect(after(6)).rejects.toMatchObject({
    code: 'BUDGET',
    message: expect.stringMatching(/3 projects wait.*--resume/),
  })
})

test.each([
  ['without any worker, it ends the run at once', [], false, true],
  ['a worker of the run may be between two projects', [{ ...ROW, run_id: 'r' }], false, false],
  ['a worker of this process may just start', [], true, false],
])('--max-duration: %s', async (_, workers, hasOwn, ends) => {
  const { rows, after } = watched(5000, hasOwn)
  rows.push(...workers)
  await after(0)
  const looked = after(6)
  if (ends) await expect(looked).rejects.toMatchObject({ code: 'BUDGET' })
  else await looked
  await expect(after(30)).rejects.toMatchObject({ code: 'BUDGET' })
})

test.each([
  ['one that is silent is gone', { silent_seconds: 21 }, /^none is running/],
  ['one of another version', { refusal: 'the run has version 1, this worker 2' }, /cannot join: the run has version 1/],
  ['one that has joined', { run_id: 'r' }, /^worker 1 host 7 has joined the run$/],
  ['one that has just come', {}, /^worker 1 host 7 is idle$/],
])('%s', (_, row, why) => {
  expect(whyNone([{ ...ROW, ...row }], 'r')).toMatch(why)
})

test('what waits for accounts that no worker has is released; if it is all, the run ends', async () => {
  const { warnings, rows, released, after } = watched()
  const lacks = { anna: 'refused' }
  rows.push({ ...ROW, run_id: 'r', lacks }, { ...ROW, run_id: 'r' }, { ...ROW, run_id: null, lacks })
  await after(0)
  await after(31)
  expect(released).toEqual([])
  rows[1] = { ...ROW, run_id: 'r', lacks }
  await after(6)
  expect([released, warnings.length]).toEqual([['anna'], 1])
  rows.splice(0, 3, { ...ROW, run_id: 'r', lacks: { ...lacks, ben: 'gone' } })
  await expect(after(36)).rejects.toMatchObject({
    exitCode: 4,
    message: 'all accounts have failed: account anna: refused; account ben: gone',
  })
})
