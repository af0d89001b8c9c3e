import type { Client } from '@collab-etl/core'
import type { Assumption } from './assume.ts'
import type { Possible } from './further/kinds.ts'
import type { CommentedRecord, EventItem, RestoreItem } from './item.ts'
import type { Journal } from './journal.ts'
import type { Plan } from './plan.ts'

/** A task group of the target. `to_create`: this restore has not created it yet. */
export type NewGroup = { readonly is: 'known'; readonly id: string } | { readonly is: 'to_create' | 'none' }

/** A planned restore of one project. */
export interface RestoreRequest {
  readonly client: Client
  readonly toProject: string
  readonly backupName: string
  readonly plan: Plan
  readonly read: (item: Pick<RestoreItem | EventItem, 'place'>) => Promise<CommentedRecord>
  readonly journal: Journal
  /** The task group in which to create a task, by the id of its group in the backup. */
  readonly groupOf: (entryId: string) => NewGroup
  /** Groups of the backup that are created, or were by an earlier run, in their order. */
  readonly groupsToCreate: readonly { readonly id: string; readonly name: string }[]
  readonly possible: Possible
  /** Ids of task groups that no task of the target names: they may be wrong. */
  readonly unnamed: ReadonlySet<string>
  /** The contents of the target before the first call; `null` if the journal has them. */
  readonly present: Readonly<Record<'page' | 'task', readonly string[]>> | null
  readonly provenance: boolean
  readonly assumptions: readonly Assumption[]
  /** How long a call whose answer was lost may still take effect, in milliseconds. */
  readonly settleMs: number
  readonly signal: AbortSignal
  /** Called after each item. */
  readonly onItem: (done: number, total: number) => void
  /** Called before the created records are read back. */
  readonly onReadBack: () => void
}
