import type { DeletionLimits } from '../../src/publish/types.ts'
import type { FoundProjects } from '../../src/snapshot/absent-projects.ts'
import type { TableName } from '../../src/tables/table.ts'
import type { Streams } from './snapshot.ts'

/** One publishing of one project. */
export interface Publication {
  readonly pid: string | null
  readonly streams: Streams
  /** By child table, the parents whose list was not received whole. */
  readonly unsure: ReadonlyMap<TableName, ReadonlySet<string>>
}

/** What one run does, from its beginning to its end or to its death. */
export interface RunScript {
  /** Whether stored records lose their hashes before, as an upgrade leaves them. */
  readonly forgetsHashes: boolean
  /** What was found out of which projects there are; `null` when their list could not be read. */
  readonly list: (FoundProjects & { readonly listed: ReadonlySet<string> }) | null
  readonly publications: readonly Publication[]
  /** What was staged when the process died. */
  readonly unpublished: readonly Publication[]
  readonly finishes: boolean
  readonly limits: DeletionLimits
}
