import { readCsvFile, UsageError } from '@collab-etl/cli'
import type { KnownId } from '@collab-etl/core'

/** Posts named with `--post PID:POST_ID` and in `--posts-file`, by project. */
export async function readKnownPosts(
  posts: readonly string[],
  file: string | undefined,
): Promise<ReadonlyMap<string, KnownId[]>> {
  const known = new Map<string, KnownId[]>()
  const add = (pid: string, id: string, source: string) => known.set(pid, [...(known.get(pid) ?? []), { id, source }])
  for (const post of posts) {
    const { pid, id } = parsePost(post)
    add(pid, id, 'flag')
  }
  if (file !== undefined) {
    const rows = await readCsvFile(file, { name: '--posts-file', columns: ['pid', 'post_id'] })
    for (const { pid, post_id } of rows) add(pid, post_id, 'file')
  }
  return known
}

function parsePost(text: string): { pid: string; id: string } {
  const colon = text.indexOf(':')
  const pid = text.slice(0, Math.max(0, colon)).trim()
  const id = text.slice(colon + 1).trim()
  if (colon === -1 || pid === '' || id === '') throw new UsageError(`--post must be PID:POST_ID, not "${text}"`)
  return { pid, id }
}
