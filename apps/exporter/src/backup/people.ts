import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { ProjectRecord, Row } from '@collab-etl/documents'
import { isUid } from '@collab-etl/warehouse'
import { digestOf } from './inputs.ts'

/** Ids of the users that a record may show, in order: the values of `uid` and of all columns `…_uid` in its rows. */
export function peopleOf({ row, lists }: Pick<ProjectRecord, 'lists'> & { readonly row: Row | null }): string[] {
  const people = new Set<string>()
  const add = (each: Row) => {
    for (const column of Object.keys(each)) {
      if (!isUid(column)) continue
      const value = each[column]
      if (typeof value === 'string') people.add(value)
    }
  }
  if (row) add(row)
  for (const rows of lists.values()) rows.forEach(add)
  return [...people].sort(compareBytes)
}

/** The versions of users. */
export class UserVersions {
  readonly #users: ReadonlyMap<string, Row>
  readonly #known = new Map<string, string>()

  /** `users`: rows by `uid`, with the columns that the formats show. */
  constructor(users: ReadonlyMap<string, Row>) {
    this.#users = users
  }

  /** Digest of a user's row; `null` if there is none. */
  versionOf(uid: string): string | null {
    const row = this.#users.get(uid)
    if (row === undefined) return null
    const version = this.#known.get(uid) ?? digestOf(row)
    this.#known.set(uid, version)
    return version
  }
}
