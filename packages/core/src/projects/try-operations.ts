import type { Account } from '@collab-etl/contract'
import { tryList } from '../capabilities/try-list.ts'
import type { Client } from '../client.ts'
import { isPermitted, type ProjectToRead } from '../streams/project-list.ts'

/**
 * Tries out the operations that need no record, those of projects on the first readable project.
 * @returns the token's user, where the service offers the profile; `null` where it does not, or where this is not known
 */
export async function tryOperations(
  client: Client,
  projects: readonly ProjectToRead[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Account | null> {
  const pid = projects.find(isPermitted)?.pid
  let owner: Account | null = null
  const trials = [
    client.capabilities.tryOut('profile.get', async (options) => {
      const { uid, display_name, name } = await client.profile.get({}, { ...options, signal })
      owner = { uid, name: display_name || name }
    }),
    ...(pid === undefined
      ? []
      : [
          tryList(client, 'projects.members.list', client.projects.members.list, { pid }, signal),
          tryList(client, 'entries.list', client.entries.list, { pid }, signal),
          tryList(client, 'posts.list', client.posts.list, { pid }, signal),
          tryList(client, 'files.list', client.files.list, { pid }, signal),
        ]),
  ]
  // the first failure is thrown when all have ended
  const ended = await Promise.allSettled(trials)
  for (const trial of ended) if (trial.status === 'rejected') throw trial.reason
  return owner
}
