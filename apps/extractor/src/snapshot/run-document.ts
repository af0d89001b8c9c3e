import type { StreamName } from '@collab-etl/contract/streams'
import type {
  AccountsData,
  DiscoveredIdsData,
  LaterItemsData,
  Offered,
  PlannedReading,
  ProjectRoute,
  RequestStats,
} from '@collab-etl/core'
import type { Budget, ScopeToReread } from '@collab-etl/warehouse'
import type { SharedAccount } from './shared-accounts.ts'
import type { SharedOptions } from './shared-options.ts'
import type { TallyData } from './tally.ts'

/** Data of a run that its coordinator shares with all workers, and with a process that takes over. */
export interface RunDocument {
  readonly options: SharedOptions
  /** Ids of the list of projects. */
  readonly listed: readonly string[]
  /** Stored projects that are not listed and that the service does not find. */
  readonly notFound: readonly string[]
  readonly marked: readonly ScopeToReread[]
  readonly readAs: string
  /** Limits the requests of all processes together; `null`: no limit. */
  readonly budget: Budget | null
  readonly resumedRunId: string | null
  /** The span of the run, as `TRACEPARENT`: workers continue its trace. `null`: there is none. */
  readonly traceparent: string | null
  /** The accounts that read, by which a worker recognises its own. */
  readonly accounts: readonly SharedAccount[]
  /** Which accounts listed projects, and which have failed. */
  readonly accountsKnown: AccountsData
  /** By account, the projects that no other account lists. */
  readonly alone: readonly (readonly [string, number])[]
  /** Results and requests of the coordinator itself before it planned the jobs. */
  readonly tally: TallyData
  readonly stats: RequestStats
  /** Optional operations that are offered, by this run or the last; `null`: none is used. */
  readonly offered: Offered | null
}

/** The data of a job: one reading. */
export interface ReadingTask extends PlannedReading {
  /** An earlier run could read the project, and this token may not. */
  readonly isLost: boolean
  /** The resumed run published the project, which is therefore only recorded as skipped. */
  readonly isPublished: boolean
  /** Streams that the resumed run found not allowed. */
  readonly notAllowed: readonly StreamName[]
  /** Which of several accounts may read it. */
  readonly route?: ProjectRoute | undefined
}

/** The output of a job, recorded when its reading is published. */
export interface ReadingOutput {
  readonly tally: TallyData
  readonly ids: DiscoveredIdsData
  readonly stats: RequestStats
  readonly events: { readonly range: readonly [string, string] | null; readonly moved: number }
  readonly resumedWalks: readonly (readonly [string, number])[]
  readonly worker: string
  /** What the worker has found out about optional operations. */
  readonly offered: Offered
  /** What several accounts did. */
  readonly accounts?: AccountsOutput | undefined
  /** Posts and files that are left to read; only with a budget. */
  readonly later?: LaterItemsData | null | undefined
}

/** What a worker has found out about its accounts. */
export interface AccountsOutput {
  /** The account that read the project. */
  readonly reader: string | null
  /** By account, the optional operations that it is offered. */
  readonly offered: readonly (readonly [account: string, offered: Offered])[]
  /** Accounts that failed in its process, and why. */
  readonly failed: readonly (readonly [account: string, why: string])[]
}

export interface WorkerShare {
  readonly id: string
  readonly host: string
  projects: number
  requests: number
}
