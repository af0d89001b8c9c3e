import type { Account } from '@collab-etl/contract'
import { tryList } from '../capabilities/try-list.ts'
import type { Client } from '../client.ts'
import { askAccounts } from '../streams/ask-accounts.ts'
import { isPermitted, type ProjectToRead } from '../streams/project-list.ts'

/** Asks whose token each account has, once for a client, and notes it in `client.accounts.owners`. */
export async function tryProfile(
  client: Client,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { owners } = client.accounts
  await client.capabilities.tryOut('profile.get', async (options) => {
    const { found } = await askAccounts(client, (account) => client.profile.get({}, { ...options, signal, account }))
    for (const [account, { uid, display_name, name }] of found) {
      // an empty id would make all accounts one user
      if (uid !== '') owners.set(account, { uid, name: display_name || name })
    }
  })
}

/**
 * Tries out the operations that need no record, those of projects on the first readable project.
 * @returns the user of each account, where the service offers the profile and answered
 */
export async function tryOperations(
  client: Client,
  projects: readonly ProjectToRead[],
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ReadonlyMap<string, Account>> {
  const pid = projects.find(isPermitted)?.pid
  const trials = [
    tryProfile(client, { signal }),
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
  return client.accounts.owners
}
