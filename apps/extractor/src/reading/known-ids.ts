import type { KnownId } from '@collab-etl/core'
import type { Warehouse } from '@collab-etl/warehouse'

/** Posts and files of a project that the warehouse knows, which the service does not list. */
export async function knownThings(
  warehouse: Warehouse,
  pid: string,
): Promise<{ knownPosts: KnownId[]; knownFiles: KnownId[] }> {
  const [posts, files] = await Promise.all([warehouse.known('post', pid), warehouse.known('file', pid)])
  const given = (id: string) => ({ id, source: 'known' })
  return { knownPosts: posts.map(given), knownFiles: files.map(given) }
}
