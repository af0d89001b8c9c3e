export type { DescribedColumn, DescribedObject, Relation, SchemaDescription } from './admin/describe.ts'
export type { Change, ChangesOptions, ChangesRead } from './changes/changes.ts'
export { type FeedOptions, type FeedPoint, type FeedState, isSamePoint } from './changes/feed.ts'
export { CHANGED_AT, DELETED_AT, FEED_TABLES, type FeedColumn, type FeedTable } from './changes/feed-tables.ts'
export type { Comparison } from './compare/comparison.ts'
export type { ComparisonStage } from './compare/stage.ts'
export type { ComparedScope, Difference, DifferenceKind, SeenProjects, StoredHash } from './compare/types.ts'
export { isWarehouseError, WarehouseError, type WarehouseErrorCode } from './errors.ts'
export type {
  ExportColumn,
  ExportEncoding,
  ExportOptions,
  ExportRun,
  ExportState,
  ExportTable,
} from './export/types.ts'
export { compareBackups, NOT_STATED } from './load/backups.ts'
export type { Load, LoadedRunOptions } from './load/load.ts'
export { OTHER_TASK_COLUMNS } from './lookup/tasks.ts'
export {
  type CommentDetails,
  type Commented,
  type DocumentRef,
  type Lookup,
  type MemberDetails,
  type PageDetails,
  type Person,
  type PostDetails,
  type ProjectSummary,
  type RecordHead,
  type RecordRef,
  SEARCH_KINDS,
  type SearchHit,
  type SearchKind,
  type SearchRequest,
  type Slice,
  type Sliced,
  type TaskDetails,
  type TaskFilter,
  type TaskLists,
  type TaskState,
  type TaskSummary,
  type TextPart,
  type TitledRef,
} from './lookup/types.ts'
export { openWarehouse, type QueryWarehouseOptions, queryWarehouse, type WarehouseOptions } from './open.ts'
export type { CountsByTable, DeletionLimits, PublishResult, TableCounts } from './publish/types.ts'
export { HEARTBEAT_SECONDS } from './queue/boss.ts'
export type { Coordinator, EndedJob, FatalError, JobProgress, NewJob } from './queue/coordinator.ts'
export type { JoinedRun, JoinOptions, TakenJob } from './queue/joined-run.ts'
export type { Plan } from './queue/plan.ts'
export type { QueueWorker } from './queue/queue-worker.ts'
export type { ProjectAtWork, WorkerRow, WorkerState } from './queue/registry.ts'
export type { RunQueue } from './queue/run-queue.ts'
export type { Budget, RequestLimits, Schedule } from './queue/schedule.ts'
export { type RebuiltKind, type RelatedRows, recordOf } from './records/record-of.ts'
export type { TableRows } from './records/row-writer.ts'
export { type BatchRows, rowObjects, rowsOf } from './records/rows-of.ts'
export { ScopeMemory } from './records/scope-memory.ts'
export type { QueryLimits, QueryOutcome } from './rows/query.ts'
export type { Row, RowsOptions } from './rows/rows.ts'
export type { SteadyRows } from './rows/steady-rows.ts'
export type { StoredRows } from './rows/stored-rows.ts'
export { isUid, rowHash, type TableHash, type TableHashes, TableSums } from './rows/table-hashes.ts'
export type { ProjectVersions } from './rows/versions.ts'
export type { AcceptedPlace, AcceptedRow, AcceptedScope, DecidedRun } from './runs/accepted.ts'
export { type AccountRow, namedAccounts, ownerOf, type ProjectAccount, type RunAccount } from './runs/accounts.ts'
export type { EndedRun, FollowOptions } from './runs/ended-runs.ts'
export type { RunLog } from './runs/run-log.ts'
export {
  judgeScopes,
  type ReadByRuns,
  type ReadPart,
  type ReadRun,
  readByRuns,
  type ScopeState,
  unfinishedRuns,
} from './runs/scope-states.ts'
export { STATUSES_BY_SEVERITY } from './runs/scopes.ts'
export { isSameService } from './runs/service.ts'
export type {
  ChangedProject,
  Coverage,
  CoveredScope,
  FormerScope,
  IncompleteScope,
  ItemReading,
  KnownId,
  KnownKind,
  KnownRow,
  LeftOutField,
  ListedRun,
  ListReading,
  LossRow,
  PublishedScope,
  Reading,
  RunChanges,
  RunChangesLimits,
  RunDetails,
  RunOptions,
  RunRow,
  RunScopeRow,
  RunStatus,
  ScopeToReread,
  ScopeWarning,
  UnprovenScope,
  UnreadItemRow,
} from './runs/types.ts'
export type { AbsentProjects, DeletedProject, FoundProjects } from './snapshot/absent-projects.ts'
export type { ProjectStage } from './snapshot/project-stage.ts'
export type { FinishedRun, Run } from './snapshot/run.ts'
export type { BeginRunOptions, RunOutcome } from './snapshot/run-row.ts'
export { TABLES, tableByName } from './tables/index.ts'
export { COLUMNS_OF_USER } from './tables/run-log.ts'
export type { Cell, Column, ColumnType, DeletedBy, Table, TableName } from './tables/table.ts'
export type { Runs, Warehouse } from './warehouse.ts'
