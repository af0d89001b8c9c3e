import { type DiscoveredId, STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { createClient, listProjects, type ProjectToRead, readProject } from '@collab-etl/core'
import { openWarehouse, type Run, type Warehouse, type WarehouseOptions } from '@collab-etl/warehouse'

const LIMITS = { maxShrink: 1, allowShrink: true }

/** Reads a service into a warehouse, as a snapshot does, and leaves the warehouse open. */
export async function fillWarehouse(
  service: { readonly baseUrl: string; readonly token: string },
  options: WarehouseOptions,
): Promise<Warehouse> {
  const warehouse = await openWarehouse(options)
  const client = createClient({ ...service, retries: 0 })
  try {
    await warehouse.migrate()
    await using _lock = await warehouse.lock()
    const run = await warehouse.beginRun({
      ...{ baseUrl: service.baseUrl, toolVersion: 'test' },
      options: { projects: null, streams: STREAMS },
    })
    const { projects } = await listProjects(client)
    const read = (project: ProjectToRead, what: Parameters<typeof readProject>[2]) =>
      publish(run, client, project, what)
    let elsewhere: DiscoveredId[] = []
    for (const project of projects) elsewhere.push(...(await read(project, {})))
    while (elsewhere.length > 0) {
      const next: DiscoveredId[] = []
      for (const project of projects) {
        const knownPosts = elsewhere.filter(({ pid }) => pid === project.pid)
        const streams = new Set<StreamName>(['posts', 'files'])
        if (knownPosts.length > 0) next.push(...(await read(project, { streams, knownPosts })))
      }
      elsewhere = next.filter(({ id }) => !elsewhere.some((known) => known.id === id))
    }
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    return warehouse
  } catch (error) {
    await warehouse.close()
    throw error
  } finally {
    await client.close()
  }
}

async function publish(
  run: Run,
  client: ReturnType<typeof createClient>,
  project: ProjectToRead,
  what: Parameters<typeof readProject>[2],
): Promise<DiscoveredId[]> {
  const stage = await run.stage(project.pid)
  const results = await readProject(client, project, what, stage)
  await stage.publish(LIMITS)
  return results.flatMap(({ scope, discovered }) => (scope.stream === 'posts' ? (discovered?.elsewhere ?? []) : []))
}
