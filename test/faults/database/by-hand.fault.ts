import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from './world.ts'

const OLD_OR_NEW =
  'each project is entirely old or entirely new, as in the run log; `check` and `init` name the missing object; once it is back, the next run is complete'

interface Change {
  readonly name: string
  readonly does: string
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
    name: 'renamed table',
    does: 'a table of the schema is renamed',
    change: 'ALTER TABLE collab.events RENAME TO events_old',
    back: 'ALTER TABLE collab.events_old RENAME TO events',
    says: /"collab\.events" does not exist/,
    // before a run begins, the newest time of every table is read
    status: null,
    code: 2,
  },
  {
    name: 'renamed column',
    does: 'a column of the schema is renamed',
    change: 'ALTER TABLE collab.pages RENAME COLUMN summary TO short',
    back: 'ALTER TABLE collab.pages RENAME COLUMN short TO summary',
    says: /summary.* does not exist/,
    status: 'partial',
    code: 3,
  },
]

for (const { name, does, change, back, says, status, code } of CHANGES) {
  fault({ category: 'database', name, does, holds: OLD_OR_NEW }, async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    await world.admin(change)
    const ran = await world.snapshot()
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

fault(
  {
    category: 'database',
    name: 'rows that violate a constraint',
    does: 'a CHECK constraint is added that rejects every new row of one project',
    holds:
      'the scopes of that project fail and name the constraint; all other projects are stored; the next run repairs the project',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    const [pid = ''] = world.sandbox.pids
    await world.admin(
      `ALTER TABLE collab.events ADD CONSTRAINT narrow CHECK (pid <> '${pid}' OR name NOT LIKE '%turn%') NOT VALID`,
    )
    const ran = await world.snapshot()
    await world.admin('ALTER TABLE collab.events DROP CONSTRAINT narrow')
    expect(ran.stdout).toMatch(new RegExp(`\\(${pid}\\): .*events.* failed: .*violates check constraint .*narrow`))
    expect(await world.expectOldOrNew()).toEqual({ published: 3, status: 'partial' })
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 3)
  },
)

fault(
  {
    category: 'database',
    name: 'terminated sessions',
    does: 'an administrator terminates all our sessions during the run',
    holds: 'the run stops before it stores more and reports it; the next run is complete',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    const meanwhile = world.atRequest({ operation: 'pages.list', n: 3 }, async () => {
      await world.admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${world.name}'`)
    })
    const ran = await world.snapshot(world.url, { concurrency: 1 })
    await meanwhile.done()
    expect(await world.expectOldOrNew()).toMatchObject({ published: 2 })
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 1)
  },
)

fault(
  {
    category: 'database',
    name: 'database of a newer version',
    does: 'a newer version of the tool has migrated the schema',
    holds: 'the run is rejected, and nothing is written',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    await world.admin('INSERT INTO collab.schema_version VALUES (9999, now())')
    const ran = await world.snapshot()
    expect(await world.expectOldOrNew()).toEqual({ published: 0, status: null })
    await world.admin('DELETE FROM collab.schema_version WHERE version = 9999')
    await world.expectTruthFromNextRun()
    return fixture.refused(ran)
  },
)
