import type { Started } from '@collab-etl/harness/commands'
import { testEveryNth } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { fixtureInTurn, plainLines } from './support.ts'

testEveryNth(
  [
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const,
  2,
)(
  '$signal in the middle of a snapshot: exit $code; finished projects are kept, --resume reads the rest',
  async ({ signal, code }) => {
    await using at = await fixtureInTurn({ projects: 6 })
    const { sandbox } = at
    let command: Started | undefined
    // The third project's pages are asked for: two projects are published, none after them.
    let asked = 0
    const stop = sandbox.beforeRequest(({ operation }) => {
      if (operation === 'pages.list' && ++asked === 3) command?.kill(signal)
    })
    const ran = await at.extract(['snapshot', '--json', '--concurrency', '1'], {
      onStart: (started) => {
        command = started
      },
    })
    stop()
    expect(ran.code).toBe(code)
    expect(plainLines(ran.stderr)).toEqual([
      expect.stringContaining(`${signal} received`),
      `collab-extract: interrupted by ${signal}`,
    ])
    const interrupted = JSON.parse(ran.stdout)
    expect(interrupted).toMatchObject({ status: 'interrupted', projects: { complete: 2, failed: 0 } })
    expect(await at.query('SELECT status FROM collab.runs')).toEqual([{ status: 'interrupted' }])

    sandbox.clearRequests()
    const resumed = await at.extract(['snapshot', '--json', '--resume'])
    expect(resumed.code).toBe(0)
    const document = JSON.parse(resumed.stdout)
    expect(document).toMatchObject({ status: 'succeeded', resumed_run_id: interrupted.run_id })
    const skipped = document.scopes.filter(({ error }: { error: { code: string } | null }) => error?.code === 'RESUMED')
    const pids = new Set(skipped.map(({ pid: project }: { pid: string }) => project))
    expect(pids.size).toBe(2)
    const lists = sandbox.requests.filter(({ operation }) => operation === 'tasks.list').map(({ path }) => path)
    expect(lists.filter((path) => [...pids].some((project) => path.includes(`pid=${project}`)))).toEqual([])
    const [{ n } = {}] = await at.query('SELECT count(*)::int AS n FROM collab.projects WHERE deleted_at IS NULL')
    expect(n).toBe(document.projects.total - document.projects.skipped + pids.size)
  },
)

test('there is nothing to resume after a run that ended by itself: everything is read', {
  tags: 'thorough',
}, async () => {
  await using at = await fixtureInTurn()
  await at.extract(['snapshot'])
  const { stdout, stderr } = await at.extract(['snapshot', '--json', '--resume'])
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'succeeded',
    resumed_run_id: null,
    projects: { skipped: expect.any(Number) },
  })
  expect(stderr).toContain('no interrupted run to resume')
})
