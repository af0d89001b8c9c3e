import type { Received, User } from '@collab-etl/contract'

export type ReceivedUser = Received<typeof User>

/** What was already written within a scope, so that the same user or task group is not written for every task again. */
export class ScopeMemory {
  readonly #users = new Map<string, { uid: string; versions: ReceivedUser[] }>()
  readonly #entries = new Map<string, string | null>()

  /** The stored id of a user who was already written just like this. */
  knownUser(user: ReceivedUser): string | undefined {
    const known = this.#users.get(user.uid)
    return known?.versions.some((version) => isSame(version, user)) ? known.uid : undefined
  }

  rememberUser(user: ReceivedUser, uid: string): void {
    const known = this.#users.get(user.uid)
    // the latest in front: the next mention is most likely the same
    if (known) known.versions.unshift(user)
    else this.#users.set(user.uid, { uid, versions: [user] })
  }

  /** Whether a task group has to be written: it is new, or its name is another than last time. */
  isNewEntry(entryId: string, name: string | null): boolean {
    const known = this.#entries.get(entryId)
    if (known === name || (known !== undefined && name === null)) return false
    this.#entries.set(entryId, name)
    return true
  }
}

function isSame(a: ReceivedUser, b: ReceivedUser): boolean {
  return (
    a.name === b.name &&
    a.display_name === b.display_name &&
    a.avatar === b.avatar &&
    a.desc === b.desc &&
    a.status === b.status &&
    a.online === b.online &&
    (a.extra === b.extra || JSON.stringify(a.extra) === JSON.stringify(b.extra))
  )
}
