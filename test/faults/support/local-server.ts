import { type LocalPostgres, startLocalPostgres } from '@collab-etl/harness/local-postgres'
import { findBinaries } from '@collab-etl/harness/postgres-binaries'
import { afterAll, beforeAll } from 'vitest'

/** A server without a container for the faults of a file, which may stop it. @returns what gives it in a fault */
export function localServer(): () => LocalPostgres {
  let server: LocalPostgres
  beforeAll(async () => {
    const binaries = await findBinaries()
    if (binaries === null) throw new Error('npm installed no binaries of Postgres')
    server = await startLocalPostgres(binaries)
  })
  afterAll(() => server.stop())
  return () => server
}
