import { freshDatabase } from '@collab-etl/harness/postgres'
import { expect } from 'vitest'
import { serverForFaults } from '../database/server.ts'
import { fault } from '../support/fault.ts'
import { type Night, runNights } from './run-nights.ts'
import { judge } from './verdicts.ts'

/** Few enough to run in seconds, enough to detect a leak of one object per record. */
const SIZES = { projects: 4, tasks: 2400, runs: 15 }

fault(
  {
    category: 'machine',
    name: 'fifteen nights in one process',
    does: 'snapshots are run repeatedly in one process; every fourth follows a change of 1 % of the tasks',
    holds:
      'heap, handles and open files are stable after the tenth; unchanged nights write no record; everything is stored',
  },
  async (fixture) => {
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
  },
)
