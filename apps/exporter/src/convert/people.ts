import { readCsvFile, UsageError, undefuse } from '@collab-etl/cli'
import { keyOf, type Row, textOf } from '@collab-etl/documents'
import { csvLine } from './csv-line.ts'

/** The file that lists the people of the backup; filled in, `--people` reads it. */
export const PEOPLE = 'people.csv'

/** The accounts that people have in the target. */
export class Accounts {
  readonly #given: ReadonlyMap<string, string>
  readonly #users: ReadonlyMap<string, Row>
  readonly #knowsEmail: boolean

  /** `given`: accounts by `uid`; `users`: rows of `users` by `uid`. */
  constructor(given: ReadonlyMap<string, string>, users: ReadonlyMap<string, Row>, knowsEmail: boolean) {
    this.#given = given
    this.#users = users
    this.#knowsEmail = knowsEmail
  }

  /** The account of a user; `null` if it is not known. */
  of(uid: string): string | null {
    const row = this.#users.get(uid)
    return this.#given.get(uid) ?? ((this.#knowsEmail && row && textOf(row, 'email')) || null)
  }

  /** Users of `--people` that the backup does not have. */
  get unknown(): readonly string[] {
    return [...this.#given.keys()].filter((uid) => !this.#users.has(uid))
  }

  /** The lines of `people.csv`, in pieces. */
  *lines(): Generator<string> {
    yield csvLine(['uid', 'name', 'email', 'account'])
    for (const row of this.#users.values()) {
      const uid = keyOf(row, 'uid')
      const name = textOf(row, 'display_name') || textOf(row, 'name')
      yield csvLine([uid, name, textOf(row, 'email'), this.of(uid)], { isGuarded: true })
    }
  }
}

/**
 * Reads `--people FILE`: accounts by `uid`. Rows without an account are ignored.
 * @throws UsageError that names the file and the line
 */
export async function readAccounts(file: string | undefined): Promise<ReadonlyMap<string, string>> {
  const accounts = new Map<string, string>()
  if (file === undefined) return accounts
  const rows = await readCsvFile(file, { name: '--people', columns: ['uid', 'account'], mayBeEmpty: 'account' })
  for (const { uid: cell, account } of rows) {
    const uid = undefuse(cell)
    if (accounts.has(uid)) throw new UsageError(`--people: ${file} names ${uid} twice`)
    if (account !== '') accounts.set(uid, undefuse(account))
  }
  return accounts
}
