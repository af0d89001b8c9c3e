import type { Client } from '../client.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { isPermitted, type ProjectToRead } from '../streams/project-list.ts'
import { listOf } from '../walk/list-of.ts'

/** The token's user. */
export interface Owner {
  readonly uid: string
  readonly name: string | null
}

/**
 * Tries out the operations that need no record, those of projects on the first readable project.
 * @returns the token's user, where the service offers the profile; `null` where it does not, or where this is not known
 */
export async function tryOperations(
  client: Client,
  projects: readonly ProjectToRead[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Owner | null> {
  const { capabilities } = client
  const pid = projects.find(isPermitted)?.pid
  let owner: Owner | null = null
  const trials = [
    capabilities.tryOut('profile.get', async (options) => {
      const { uid, display_name, name } = await client.profile.get({}, { ...options, signal })
      owner = { uid, name: display_name || name }
    }),
    ...(pid === undefined
      ? []
      : [
          capabilities.tryOut('projects.members.list', (how) => whole(client.projects.members.list, { pid }, how)),
          capabilities.tryOut('entries.list', (how) => whole(client.entries.list, { pid }, how)),
          capabilities.tryOut('posts.list', (how) => whole(client.posts.list, { pid }, how)),
          capabilities.tryOut('files.list', (how) => whole(client.files.list, { pid }, how)),
        ]),
  ]
  // the first failure is thrown when all have ended
  const ended = await Promise.allSettled(trials)
  for (const trial of ended) if (trial.status === 'rejected') throw trial.reason
  return owner

  async function whole<P>(
    list: { batches(params: P, options: CallOptions): AsyncIterable<RecordBatch<unknown>> },
    params: P,
    options: CallOptions,
  ): Promise<void> {
    await listOf(list.batches(params, { ...options, signal }))
  }
}
