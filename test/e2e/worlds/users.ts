import type { PlainRow } from '@collab-etl/harness/expected-rows'
import type { ProjectTruth, UserRecord } from '@collab-etl/sandbox'
import { STORED } from './access.ts'
import { differences } from './judge.ts'
import { plain } from './rows.ts'
import type { Allowed, Seen } from './truth.ts'

/** A copy of a user, and where it was shown. */
export interface Copy {
  readonly place: string
  readonly user: UserRecord
}

const fullness = (row: PlainRow) => Object.values(row).filter((value) => value !== null).length

/** What a warehouse must hold of users, whom all projects share. */
export class Users {
  readonly #rows = new Map<string, PlainRow>()
  /** The places that showed the fullest copy of each user, and what a place may have emptied it to this night. */
  readonly #shownAt = new Map<string, Set<string>>()
  readonly #emptied = new Map<string, PlainRow>()
  readonly #emails = new Map<string, unknown>()

  get rows(): PlainRow[] {
    return [...this.#rows].map(([uid, row]) => ({ ...row, email: this.#emails.get(uid) ?? null }))
  }

  /** The fullest copy counts: one of this night before one of an earlier night. A place that showed it and shows less may have emptied it. */
  see(copies: readonly Copy[]): void {
    this.#emptied.clear()
    for (const [uid, all] of Map.groupBy(copies, ({ user }) => user.uid)) {
      const rows = all.map(({ place, user: { desc: description, ...user } }) => {
        const { name, display_name, avatar, status, online } = user
        return { place, row: plain({ uid, name, display_name, avatar, status, online, description, extra: null }) }
      })
      const most = Math.max(...rows.map(({ row }) => fullness(row)))
      const fullest = rows.findLast(({ row }) => fullness(row) === most)?.row ?? {}
      const before = this.#rows.get(uid)
      if (before === undefined || most >= fullness(before)) this.#rows.set(uid, fullest)
      else if (rows.some(({ place }) => this.#shownAt.get(uid)?.has(place))) this.#emptied.set(uid, fullest)
      const full = rows.filter(({ row }) => fullness(row) === most && !this.#emptied.has(uid))
      const places = before === undefined || most >= fullness(before) ? [] : (this.#shownAt.get(uid) ?? [])
      this.#shownAt.set(uid, new Set([...places, ...full.map(({ place }) => place)]))
    }
  }

  /** The warehouse may know that the place that it noted for the fullest copy shows less now. */
  accept(stored: readonly PlainRow[]): void {
    for (const row of stored) {
      const emptied = this.#emptied.get(String(row['uid']))
      const { email: _, ...shown } = row
      const isSame = emptied !== undefined && differences('users', [emptied], [shown]).length === 0
      if (isSame) this.#rows.set(String(row['uid']), emptied)
    }
  }

  /** The address that a list of members shows; the list of another night may lack it. */
  noteEmails(
    truths: ReadonlyMap<string, ProjectTruth>,
    ofTeams: ProjectTruth['members'],
    { scopes, tables }: Seen,
    { hidesEmail, isCapped }: Allowed,
  ): void {
    const isRead = (pid: string) => STORED.includes(scopes.get(`${pid} members`)?.status ?? '')
    const members = [...truths].flatMap(([pid, of]) => (of.listed !== null && isRead(pid) ? of.members : []))
    const stored = new Map((tables['users'] ?? []).map((row) => [row['uid'], row['email']]))
    for (const { uid, email } of [...members, ...ofTeams])
      if (!(hidesEmail || isCapped) || stored.get(uid) === email) this.#emails.set(uid, email)
  }
}
