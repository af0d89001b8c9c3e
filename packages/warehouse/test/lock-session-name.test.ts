import { anyCharacter } from '@collab-etl/harness/any-character'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeLockSession, lockSessionName } from '../src/driver/postgres-lock.ts'
import { openWarehouse } from '../src/open.ts'

test('the name of a lock session gives back process, host and start', () => {
  const name = lockSessionName(12, Date.UTC(2026, 0, 2, 3, 4, 5), 'db1')
  expect(describeLockSession(name)).toBe('process 12 on db1 (started 2026-01-02T03:04:05Z)')
})

test('for any host name, the name fits into 63 bytes of ASCII and can be read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4_194_304 }), fc.string({ unit: anyCharacter }), (pid, host) => {
      const name = lockSessionName(pid, 0, host)
      expect(name).toMatch(/^[ -~]{1,63}$/)
      expect(describeLockSession(name)).toMatch(`process ${pid} on `)
    }),
  )
})

test('both ends of a long host name are kept', () => {
  const host = 'collab-nightly-in-the-production-cluster-28912340-x7k2p'
  expect(describeLockSession(lockSessionName(12, 0, host))).toMatch(/ on collab-\S+~\S+-x7k2p \(/)
})

test('the names of other sessions describe no process', () => {
  for (const name of [null, '', 'collab-etl', 'psql', 'collab-etl 1 now db1']) {
    expect(describeLockSession(name)).toBeNull()
  }
})

describe.skipIf(postgresServer() === null)('a held lock', () => {
  test('names host, process and start, also to a role without rights on the owner', async () => {
    const database = await freshDatabase(postgresServer() ?? '')
    const role = `locker_${process.pid}`
    const owner = await openWarehouse({ databaseUrl: database.url, dataDir: '/nonexistent', schema: 'collab' })
    try {
      await owner.admin.migrate()
      await using _lock = await owner.runs.lock()
      const { openPostgres } = await import('../src/driver/postgres.ts')
      const admin = await openPostgres(database.url)
      await admin.script(`CREATE ROLE ${role} LOGIN PASSWORD 'test'`)
      try {
        const url = new URL(database.url)
        Object.assign(url, { username: role, password: 'test' })
        const other = await openPostgres(url.href)
        await expect(other.lock('collab')).rejects.toMatchObject({
          code: 'LOCKED',
          message: expect.stringMatching(
            new RegExp(
              `schema collab in .+: process ${process.pid} on \\S+ \\(started 20.+Z\\); wait until it has ended$`,
            ),
          ),
        })
        await other.close()
      } finally {
        await admin.script(`DROP ROLE ${role}`)
        await admin.close()
      }
    } finally {
      await owner.close()
      await database.drop()
    }
  })
})
