import { type Row, textOf } from './row.ts'

/** A person named in a record; the name is `null` if no record contains it. */
export interface Person {
  readonly uid: string
  readonly name: string | null
}

/** Knows the names of users. */
export class People {
  readonly #users: ReadonlyMap<string, Row>

  /** `users` are rows of `users` by `uid`. */
  constructor(users: ReadonlyMap<string, Row>) {
    this.#users = users
  }

  person(uid: string): Person {
    const row = this.#users.get(uid)
    return { uid, name: row ? textOf(row, 'name') : null }
  }

  /** Whether a record of the user was read. */
  isListed(uid: string): boolean {
    return this.#users.get(uid) !== undefined
  }

  personOrNone(uid: string | null): Person | null {
    return uid === null ? null : this.person(uid)
  }
}
