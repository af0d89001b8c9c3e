import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { Row } from '@collab-etl/documents'
import type { BackupSource } from '../source/backup-source.ts'
import { digestOf } from './inputs.ts'

/** Rows of users by `uid`. Records which users are looked up. */
export class UsedUsers extends Map<string, Row> {
  #used = new Set<string>()

  override get(uid: string): Row | undefined {
    this.#used.add(uid)
    return super.get(uid)
  }

  /** Ids of users that were looked up since the last call, in order. */
  takeUsed(): readonly string[] {
    if (this.#used.size === 0) return []
    const used = [...this.#used].sort(compareBytes)
    this.#used = new Set()
    return used
  }

  /** Digest of a user's row; `null` if there is none. */
  versionOf(uid: string): string | null {
    const row = super.get(uid)
    return row === undefined ? null : digestOf(row)
  }
}

/** The users of a source, counted while they are read. */
export class CountedUsers {
  readonly #source: BackupSource
  count = 0

  constructor(source: BackupSource) {
    this.#source = source
  }

  async *rows(): AsyncGenerator<Row, void, undefined> {
    for await (const row of this.#source.rows('users')) {
      this.count += 1
      yield row
    }
  }
}
