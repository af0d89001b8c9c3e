import { tableByName } from '../../src/tables/index.ts'
import { fullness, keyOf, type PlainRow, versionText } from './history-rows.ts'

const USERS = tableByName('users')

/** A copy of a user, and the table and project that showed it; `isWhole`: all records of that table were read. */
export interface Shown {
  readonly user: PlainRow
  readonly place: string
  readonly isWhole: boolean
}

/** What the warehouse must hold of users, whom all projects share. */
export class ModelUsers {
  readonly #stored: Map<string, PlainRow>
  readonly #places = new Map<string, string>()
  #seen: Shown[] = []
  #added = new Set<string>()

  constructor(stored: Map<string, PlainRow>) {
    this.#stored = stored
  }

  /** A project that is published adds those who are new, and keeps the others as they are. */
  see(shown: readonly Shown[]): void {
    this.#seen.push(...shown)
    for (const [key, versions] of Map.groupBy(shown, ({ user }) => keyOf(USERS, user))) {
      if (this.#stored.has(key)) continue
      const [first] = inOrder(versions.map(({ user }) => user))
      if (first !== undefined) this.#stored.set(key, first)
      this.#added.add(key)
      // at once, as the run may die
      this.#note(key, versions, true)
    }
  }

  /**
   * The stored version stays if it is among the fullest seen; else the first in a fixed order is taken, unless it lacks a value that
   * only the place of the stored version may take away.
   */
  end(finished: boolean): void {
    for (const [key, shown] of Map.groupBy(finished ? this.#seen : [], ({ user }) => keyOf(USERS, user))) {
      const versions = shown.map(({ user }) => user)
      const ordered = inOrder(versions)
      const fullest = ordered.filter((user) => says(user) === says(ordered[0] ?? {}))
      const before = this.#stored.get(key) ?? {}
      const isStored = (user: PlainRow) => stableText(user) === stableText(before)
      const kept = this.#added.has(key) ? undefined : fullest.find(isStored)
      const chosen = kept ?? ordered[0] ?? {}
      const isPlace = ({ place }: Shown) => place === this.#places.get(key)
      const isEmptied = shown.some(isPlace) && shown.filter(isPlace).every(({ isWhole }) => isWhole)
      const hasAll = Object.keys(before).every(
        (name) => APART.includes(name) || before[name] === null || chosen[name] !== null,
      )
      const counts = this.#added.has(key) || says(chosen) > says(before) || hasAll || isEmptied
      const online = Math.max(...versions.map((user) => Number(user['online'])))
      // an address is never emptied
      const email = versions.map((user) => user['email']).find((each) => each !== null) ?? before['email'] ?? null
      const after = { ...(counts ? chosen : before), online, email }
      this.#stored.set(key, after)
      this.#note(key, shown, this.#added.has(key) || versionText(USERS, before) !== versionText(USERS, after))
    }
    this.#seen = []
    this.#added = new Set()
  }

  /** A place that was read whole comes first, then the one that is known, unless this run stored the version. */
  #note(key: string, shown: readonly Shown[], isNew: boolean): void {
    const stored = stableText(this.#stored.get(key) ?? {})
    const showing = shown.filter(({ user }) => stableText(user) === stored)
    const rank = ({ isWhole, place }: Shown) => (isWhole ? 2 : 0) + (!isNew && place === this.#places.get(key) ? 1 : 0)
    const [first] = showing.toSorted((a, b) => rank(b) - rank(a) || byPlace(a.place, b.place))
    if (first !== undefined) this.#places.set(key, first.place)
  }
}

/** A place is `TABLE PID`: by table backwards, then by project. */
function byPlace(a: string, b: string): number {
  const [[tableA = '', pidA = ''], [tableB = '', pidB = '']] = [a.split(' '), b.split(' ')]
  if (tableA !== tableB) return tableA < tableB ? 1 : -1
  return pidA < pidB ? -1 : 1
}

/** Columns that make no other version: presence, and the address that only members have. */
const APART = ['online', 'email']

const says = (user: PlainRow) => fullness(user, APART)

function stableText(user: PlainRow): string {
  return JSON.stringify(Object.entries(user).filter(([column]) => !APART.includes(column)))
}

/** The fullest first, then column by column byte by byte, those without a value last, then who has an address, then who is least online. */
function inOrder(users: readonly PlainRow[]): PlainRow[] {
  const hasNoEmail = (user: PlainRow) => (user['email'] === null ? 1 : 0)
  return users.toSorted(
    (a, b) =>
      says(b) - says(a) ||
      byColumns(a, b) ||
      hasNoEmail(a) - hasNoEmail(b) ||
      Number(a['online']) - Number(b['online']),
  )
}

function byColumns(a: PlainRow, b: PlainRow): number {
  for (const name of Object.keys(a).filter((column) => !APART.includes(column))) {
    const [x, y] = [a[name] ?? null, b[name] ?? null]
    if (x === y) continue
    if (x === null || y === null) return x === null ? 1 : -1
    return String(x) < String(y) ? -1 : 1
  }
  return 0
}
