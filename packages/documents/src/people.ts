import type { Person } from './markdown/front-matter.ts'
import { keyOf, type RowSource, textOf } from './row.ts'

/** Knows the names of users. */
export class People {
  readonly #names: ReadonlyMap<string, string | null>

  private constructor(names: ReadonlyMap<string, string | null>) {
    this.#names = names
  }

  static async read(source: RowSource): Promise<People> {
    const names = new Map<string, string | null>()
    for await (const row of source.rows('users', { columns: ['uid', 'name'] })) {
      names.set(keyOf(row, 'uid'), textOf(row, 'name'))
    }
    return new People(names)
  }

  person(uid: string): Person {
    return { uid, name: this.#names.get(uid) ?? null }
  }

  personOrNone(uid: string | null): Person | null {
    return uid === null ? null : this.person(uid)
  }
}
