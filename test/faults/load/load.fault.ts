import { freshDatabase } from '@collab-etl/harness/postgres'
import { expect } from 'vitest'
import { serverForFaults } from '../database/server.ts'
import { fault } from '../support/fault.ts'
import { type Night, runNights } from './run-nights.ts'
import { judge } from './verdicts.ts'

/** Few enough to run in seconds, enough to detect a leak of one object per record. */
const SIZES = { projects: 4, tasks: 2400, runs: 15 }

fault('fifteen snapshots in one process: memory, handles and files stay level', async (fixture) => {
  const database = await freshDatabase(serverForFaults())
  fixture.defer(() => database.drop())
  const nights: Night[] = []
  const options = {
    ...SIZES,
    databaseUrl: database.url,
    token: fixture.token,
    directory: fixture.path,
    lean: false,
    logLevel: 'trace',
  }
  for await (const night of runNights(options)) nights.push(night)
  const stderr = nights.map((night) => night.stderr).join('')
  fixture.alsoLookAt('stderr of the nights', stderr)
  await fixture.lookAtDatabase(database.url)
  expect(judge(nights).filter(({ failures }) => failures.length > 0)).toEqual([])
  return fixture.cured({ code: 0, signal: null, stdout: '', stderr, peakMemory: 0 })
})
