import { inject } from 'vitest'
import { scratchDirectory } from './commands.ts'
import { makeEmptyWarehouse } from './empty-warehouse.ts'
import { freshDatabase, postgresServer } from './postgres.ts'
import { expectTag } from './thorough.ts'
import { isThorough } from './thorough-tag.ts'
// what the harness provides is declared there
import type {} from './warehouse-template.ts'

/** One kind of warehouse on which a test runs. */
export interface Backend {
  readonly name: 'postgres' | 'embedded'
  /** The settings of a new, empty warehouse, which is removed when disposed of. */
  open(): Promise<AsyncDisposable & { readonly env: Readonly<Record<string, string>> }>
}

/** The backends of a slow test with the tag `thorough`: the first one in `npm test`, all in `npm run test:thorough`. */
export function backendsOfSlowTests(): Backend[] {
  expectTag()
  return isThorough() ? backends() : backends().slice(0, 1)
}

/** Both backends, or the embedded one alone where no Postgres server is available (the run's last lines say so). */
export function backends(): Backend[] {
  const server = postgresServer()
  return server === null ? [embedded] : [postgres(server), embedded]
}

const embedded: Backend = {
  name: 'embedded',
  async open() {
    const directory = await scratchDirectory()
    const dataDir = `${directory.path}/data`
    await makeEmptyWarehouse(dataDir)
    return {
      env: { COLLAB_DATA_DIR: dataDir },
      [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
    }
  },
}

const postgres = (server: string): Backend => ({
  name: 'postgres',
  async open() {
    const database = await freshDatabase(server, inject('databaseTemplate') ?? undefined)
    return { env: { DATABASE_URL: database.url }, [Symbol.asyncDispose]: () => database.drop() }
  },
})
