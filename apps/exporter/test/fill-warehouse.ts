import { existsSync } from 'node:fs'
import { DEFAULT_ACCOUNT } from '@collab-etl/contract'
import { STREAMS } from '@collab-etl/contract/streams'
import { createClient, listProjects, readProjects, readTeams, tryOperations } from '@collab-etl/core'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { openWarehouse, type Run, type Warehouse, type WarehouseOptions } from '@collab-etl/warehouse'

const LIMITS = { maxShrink: 1, allowShrink: true }

/**
 * Reads a service into a warehouse, as a snapshot does, and leaves the warehouse open.
 * @param beforeEnd called when all projects are stored, before the run ends
 * @param isExtended whether operations beyond the documented ones are used
 */
export async function fillWarehouse(
  service: { readonly baseUrl: string; readonly token: string },
  options: WarehouseOptions,
  beforeEnd?: (warehouse: Warehouse, run: Run) => Promise<void>,
  isExtended = false,
): Promise<Warehouse> {
  if (options.databaseUrl === undefined && !existsSync(options.dataDir)) await makeEmptyWarehouse(options.dataDir)
  const warehouse = await openWarehouse(options)
  const client = createClient({
    baseUrl: service.baseUrl,
    token: service.token,
    retries: 0,
    offered: isExtended ? {} : null,
  })
  try {
    await warehouse.admin.migrate()
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({
      baseUrl: service.baseUrl,
      toolVersion: 'test',
      options: { projects: null, streams: STREAMS },
    })
    const { projects } = await listProjects(client)
    if (isExtended) {
      const { uid = null, name = null } = (await tryOperations(client, projects)).get(DEFAULT_ACCOUNT) ?? {}
      await run.noteAccounts([
        { account: DEFAULT_ACCOUNT, uid, name, projects: projects.length, read: null, error: null, offered: null },
      ])
      const stage = await run.stage(null)
      await readTeams(client, stage, { listed: new Set(projects.map(({ pid }) => pid)) })
      await stage.publish(LIMITS)
    }
    await readProjects(client, projects, {
      openSink: async ({ project }) => {
        const stage = await run.stage(project.pid)
        return {
          sink: stage,
          finish: async () => void (await stage.publish(LIMITS)),
          discard: () => stage.discard(),
        }
      },
    })
    if (isExtended) await run.noteCapabilities(client.capabilities.found)
    await beforeEnd?.(warehouse, run)
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    return warehouse
  } catch (error) {
    await warehouse.close()
    throw error
  } finally {
    await client.close()
  }
}
