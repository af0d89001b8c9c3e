import type { BenchContext } from '../bench.ts'
import { initialise, type Warehouse } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { DOCUMENT_PROJECTS, type DocumentWorld } from './world.ts'

/** A new warehouse on the server of the bench, filled with documents. Its schema is dropped when it is disposed. */
export async function documentWarehouse(
  { server, scratch, say }: BenchContext,
  name: string,
  world: Omit<DocumentWorld, 'projects'>,
): Promise<Warehouse & AsyncDisposable> {
  const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
  const drop = () => dropSchemas(server.url)
  await drop()
  await initialise(warehouse)
  say(`${name}: filling a warehouse with ${world.pages} pages and ${world.tasks ?? 0} tasks`)
  await fillWarehouse(warehouse, { projects: DOCUMENT_PROJECTS, ...world })
  await settle(server.url)
  return { ...warehouse, [Symbol.asyncDispose]: drop }
}
