import { tableByName } from '../../src/tables/index.ts'
import { fullness, keyOf, type PlainRow, versionText } from './history-rows.ts'

const USERS = tableByName('users')

/** What the warehouse must hold of users, whom all projects share. */
export class ModelUsers {
  readonly #stored: Map<string, PlainRow>
  #seen: PlainRow[] = []
  #added = new Set<string>()

  constructor(stored: Map<string, PlainRow>) {
    this.#stored = stored
  }

  /** A project that is published adds those who are new, and keeps the others as they are. */
  see(users: readonly PlainRow[]): void {
    this.#seen.push(...users)
    for (const [key, versions] of Map.groupBy(users, (user) => keyOf(USERS, user))) {
      if (this.#stored.has(key)) continue
      const [first] = inOrder(versions)
      if (first !== undefined) this.#stored.set(key, first)
      this.#added.add(key)
    }
  }

  /** The stored version stays if it is among the fullest seen; else the first in a fixed order is taken. */
  end(finished: boolean): void {
    for (const [key, versions] of Map.groupBy(finished ? this.#seen : [], (user) => keyOf(USERS, user))) {
      const ordered = inOrder(versions)
      const fullest = ordered.filter((user) => says(user) === says(ordered[0] ?? {}))
      const stored = versionText(USERS, this.#stored.get(key))
      const kept = this.#added.has(key) ? undefined : fullest.find((user) => versionText(USERS, user) === stored)
      const online = Math.max(...versions.map((user) => Number(user['online'])))
      const chosen = kept ?? ordered[0]
      if (chosen !== undefined) this.#stored.set(key, { ...chosen, online })
    }
    this.#seen = []
    this.#added = new Set()
  }
}

const says = (user: PlainRow) => fullness(user, ['online'])

/** The fullest first, then column by column byte by byte, those without a value last, then who is least online. */
function inOrder(users: readonly PlainRow[]): PlainRow[] {
  return users.toSorted((a, b) => says(b) - says(a) || byColumns(a, b) || Number(a['online']) - Number(b['online']))
}

function byColumns(a: PlainRow, b: PlainRow): number {
  for (const name of Object.keys(a).filter((column) => column !== 'online')) {
    const [x, y] = [a[name] ?? null, b[name] ?? null]
    if (x === y) continue
    if (x === null || y === null) return x === null ? 1 : -1
    return String(x) < String(y) ? -1 : 1
  }
  return 0
}
