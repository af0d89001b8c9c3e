import type { Received, User } from '@collab-etl/contract'

/** `email`: only where lists of members show it. */
export type ReceivedUser = Received<typeof User> & { readonly email?: string | null | undefined }

/** A user as records of a scope contain it: one object for equal values; `uid` is the stored id. */
export interface KnownUser {
  readonly uid: string
  readonly user: ReceivedUser
  /** Whether the row has every value as it was sent. */
  readonly isExact: boolean
}

/** What a record shows of others: users, its task group (id and name), and its project as JSON. */
export interface Shown {
  readonly users: KnownUser[]
  entry: readonly [id: string, name: string] | null
  project: string | null
  /** Whether the rows of its users and task group have every value as it was sent. If not, the first record that names them has the issues. */
  isExact: boolean
}

/** The record names no users, group or project. */
export function newShown(): Shown {
  return { users: [], entry: null, project: null, isExact: true }
}

/** Rows already written within a scope, so that the same user or task group is not written for every task again. */
export class ScopeMemory {
  readonly #users = new Map<string, KnownUser[]>()
  readonly #entries = new Map<string, string | null>()
  /** The name that the first task of each group shows, and what the first record shows of its project. */
  readonly #firstNames = new Map<string, string>()
  #firstProject: string | undefined

  /** A user who was already written with the same values. */
  knownUser(user: ReceivedUser): KnownUser | undefined {
    for (const known of this.#users.get(user.uid) ?? []) if (isSame(known.user, user)) return known
    return undefined
  }

  rememberUser(known: KnownUser): KnownUser {
    const { user } = known
    const versions = this.#users.get(user.uid)
    // the latest in front: the next mention is most likely the same
    if (versions) versions.unshift(known)
    else this.#users.set(user.uid, [known])
    return known
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
    const first = this.#firstNames.get(entryId)
    if (first === undefined) this.#firstNames.set(entryId, name)
    return (first ?? name) !== name
  }

  /** Notes what a record shows of its project. Returns whether it differs from the first. */
  isOtherProject(shown: string): boolean {
    this.projects.set(shown, (this.projects.get(shown) ?? 0) + 1)
    this.#firstProject ??= shown
    return this.#firstProject !== shown
  }

  /** Whether a record that shows this of its task group and project shows the same as the first record of the scope. */
  showsSame({ entry, project }: Shown): boolean {
    if (project !== null && (this.#firstProject ?? project) !== project) return false
    return entry === null || (this.#firstNames.get(entry[0]) ?? entry[1]) === entry[1]
  }

  /** Whether a task group has to be written: it is new, or its name is another than last time. */
  isNewEntry(entryId: string, name: string | null): boolean {
    const known = this.#entries.get(entryId)
    if (known === name || (known !== undefined && name === null)) return false
    this.#entries.set(entryId, name)
    return true
  }
}

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
    a.email === b.email &&
    (a.extra === b.extra || JSON.stringify(a.extra) === JSON.stringify(b.extra))
  )
}
