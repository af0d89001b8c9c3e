import { anyCharacter } from '@collab-etl/harness/any-character'
import { postgresServer } from '@collab-etl/harness/postgres'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeLockSession, lockSessionName } from '../src/driver/postgres-lock.ts'
import { ownDatabase } from './support/own-database.ts'

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

test.skipIf(postgresServer() === null)(
  'a held lock names host, process and start, also to a role without rights on the owner',
  async () => {
    const database = await ownDatabase()
    const owner = await database.warehouse()
    await owner.admin.migrate()
    await using _lock = await owner.runs.lock()
    const other = await database.driver((await database.role()).url)
    await expect(other.lock('collab')).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringMatching(
        new RegExp(`schema collab in .+: process ${process.pid} on \\S+ \\(started 20.+Z\\); wait until it has ended$`),
      ),
    })
  },
)
