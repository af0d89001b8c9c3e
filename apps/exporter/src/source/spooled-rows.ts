import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { addUser } from './add-user.ts'
import type { SourceRow, SourceTable } from './backup-rows.ts'
import type { EndedScope } from './project-spool.ts'
import { isSpooled, NO_PROJECT, type Spool } from './spool.ts'

/** Rows that were read before a backup is written: projects and users in memory, all others in a spool. */
export class SpooledRows {
  readonly spool: Spool
  readonly projects = new Map<string, SourceRow>()
  readonly users = new Map<string, SourceRow>()

  constructor(spool: Spool) {
    this.spool = spool
  }

  /** Adds what a scope brought besides its rows in the spool. */
  take({ projects, users }: Pick<EndedScope, 'projects' | 'users'>): void {
    for (const [pid, project] of projects) this.projects.set(pid, project)
    for (const user of users.values()) addUser(this.users, user)
  }

  /** As `BackupRows.rows`. */
  async *rows(table: SourceTable, { pid }: { readonly pid?: string } = {}): AsyncGenerator<SourceRow, void, undefined> {
    if (table === 'users') yield* inOrder(this.users)
    else if (table === 'projects') yield* inOrder(this.projects, pid)
    else if (table === 'teams') yield* this.spool.rows(NO_PROJECT, table)
    else if (isSpooled(table) && pid !== undefined) yield* this.spool.rows(pid, table)
    else throw new TypeError(`${table} is kept by project`)
  }
}

/** Rows by their ids, in order. */
function* inOrder(rows: ReadonlyMap<string, SourceRow>, only?: string): Generator<SourceRow> {
  for (const [id, row] of [...rows].sort(([a], [b]) => compareBytes(a, b))) {
    if (only === undefined || only === id) yield row
  }
}
