/** @module-tag thorough */

import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { DatabaseWorld } from './world.ts'

interface Change {
  readonly title: string
  readonly change: string
  /** Reverts the change. */
  readonly back: string
  readonly says: RegExp
  /** Status of the run; `null` if it did not begin. */
  readonly status: 'failed' | 'partial' | null
  readonly code: 1 | 2 | 3
}

const CHANGES: readonly Change[] = [
  {
    title: 'a table was renamed by hand',
    change: 'ALTER TABLE collab.events RENAME TO events_old',
    back: 'ALTER TABLE collab.events_old RENAME TO events',
    says: /"collab\.events" does not exist/,
    // before a run begins, the newest time of every table is read
    status: null,
    code: 2,
  },
  {
    title: 'a column was renamed by hand',
    change: 'ALTER TABLE collab.pages RENAME COLUMN summary TO short',
    back: 'ALTER TABLE collab.pages RENAME COLUMN short TO summary',
    says: /summary.* does not exist/,
    status: 'partial',
    code: 3,
  },
]

for (const { title, change, back, says, status, code } of CHANGES) {
  fault(title, async (fixture) => {
    await using world = await DatabaseWorld.filled(fixture)
    await world.admin(change)
    const ran = await world.snapshotAt()
    for (const command of ['check', 'init'] as const) {
      const env = { COLLAB_BASE_URL: world.sandbox.baseUrl, DATABASE_URL: world.url }
      const found = await fixture.run('collab-extract', [command], { env })
      expect([command, found.code]).toEqual([command, 5])
      expect(`${found.stdout}${found.stderr}`).toMatch(/missing: .*collab\.(events|pages\.summary)/)
    }
    await world.admin(back)
    expect(`${ran.stdout}${ran.stderr}`).toMatch(says)
    expect(await world.expectOldOrNew()).toMatchObject({ status })
    await world.expectTruthFromNextRun()
    return fixture.named(ran, code)
  })
}

fault('a constraint rejects the rows of one project', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  const [pid = ''] = world.sandbox.pids
  await world.admin(
    `ALTER TABLE collab.events ADD CONSTRAINT narrow CHECK (pid <> '${pid}' OR name NOT LIKE '%turn%') NOT VALID`,
  )
  const ran = await world.snapshotAt()
  await world.admin('ALTER TABLE collab.events DROP CONSTRAINT narrow')
  expect(ran.stdout).toMatch(new RegExp(`\\(${pid}\\): .*events.* failed: .*violates check constraint .*narrow`))
  expect(await world.expectOldOrNew()).toEqual({ published: 3, status: 'partial' })
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 3)
})

fault('an administrator terminates all sessions during the run', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  const meanwhile = world.atRequest({ operation: 'pages.list', n: 3 }, async () => {
    await world.admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${world.name}'`)
  })
  const ran = await world.snapshotAt(world.url, { concurrency: 1 })
  await meanwhile.done()
  expect(await world.expectOldOrNew()).toEqual({ published: 4, status: 'succeeded' })
  await world.expectTruth()
  return fixture.cured(ran)
})
