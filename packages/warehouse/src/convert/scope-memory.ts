import type { Received, User } from '@collab-etl/contract'

export type ReceivedUser = Received<typeof User>

/** Rows already written within a scope, so that the same user or task group is not written for every task again. */
export class ScopeMemory {
  readonly #users = new Map<string, { uid: string; versions: ReceivedUser[] }>()
  readonly #entries = new Map<string, string | null>()

  /** The stored id of a user who was already written just like this. */
  knownUser(user: ReceivedUser): string | undefined {
    const known = this.#users.get(user.uid)
    if (known === undefined) return undefined
    for (const version of known.versions) if (isSame(version, user)) return known.uid
    return undefined
  }

  rememberUser(user: ReceivedUser, uid: string): void {
    const known = this.#users.get(user.uid)
    // the latest in front: the next mention is most likely the same
    if (known) known.versions.unshift(user)
    else this.#users.set(user.uid, { uid, versions: [user] })
  }

  /** Names of each task group, with the last update of a task that shows it; the first one comes first. */
  readonly entryNames = new Map<string, Map<string, string>>()
  /** What records show of the project they are in, as JSON, and how many do; the first one comes first. */
  readonly projects = new Map<string, number>()

  /** Notes the name that a task shows of its group. Returns whether it differs from the first that was shown, or is missing. */
  isOtherEntryName(entryId: string, name: string | null, updatedAt: string): boolean {
    if (name === null) return true
    const names = this.entryNames.get(entryId) ?? new Map<string, string>()
    this.entryNames.set(entryId, names)
    if ((names.get(name) ?? '') <= updatedAt) names.set(name, updatedAt)
    return firstOf(names) !== name
  }

  /** Notes what a record shows of its project. Returns whether it differs from the first. */
  isOtherProject(shown: string): boolean {
    this.projects.set(shown, (this.projects.get(shown) ?? 0) + 1)
    return firstOf(this.projects) !== shown
  }

  /** Whether a task group has to be written: it is new, or its name is another than last time. */
  isNewEntry(entryId: string, name: string | null): boolean {
    const known = this.#entries.get(entryId)
    if (known === name || (known !== undefined && name === null)) return false
    this.#entries.set(entryId, name)
    return true
  }
}

/** The first key of a map. */
export function firstOf(map: ReadonlyMap<string, unknown>): string | undefined {
  for (const key of map.keys()) return key
  return undefined
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
