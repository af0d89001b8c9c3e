export type {
  AbsentProjects,
  BeginRunOptions,
  CountsByTable,
  DeletionLimits,
  FinishedRun,
  FoundProjects,
  ProjectStage,
  ProjectVersions,
  PublishedScope,
  PublishResult,
  QueryLimits,
  QueryOutcome,
  RecordVersion,
  Row,
  RowsOptions,
  Run,
  RunOutcome,
  ScopeWarning,
  SteadyRows,
  TableCounts,
  Warehouse,
  WarehouseOptions,
} from './api.ts'
export type {
  ComparedScope,
  Comparison,
  ComparisonStage,
  Difference,
  DifferenceKind,
  SeenProjects,
  StoredHash,
} from './compare/types.ts'
export type { Cell } from './convert/cell.ts'
export { ScopeMemory } from './convert/scope-memory.ts'
export type { Column, ColumnType, DeletedBy, Table, TableName } from './convert/table.ts'
export type { DescribedColumn, DescribedObject, Relation, SchemaDescription } from './describe/describe.ts'
export { isWarehouseError, WarehouseError, type WarehouseErrorCode } from './errors.ts'
export type {
  ExportColumn,
  ExportEncoding,
  ExportOptions,
  ExportRun,
  ExportState,
  ExportTable,
} from './export/types.ts'
export { type FeedOptions, type FeedPoint, type FeedState, isSamePoint } from './feed/feed.ts'
export { CHANGED_AT, DELETED_AT, FEED_TABLES, type FeedColumn, type FeedTable } from './feed/tables.ts'
export {
  type CommentDetails,
  type DocumentRef,
  type Lookup,
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
  type TaskState,
  type TaskSummary,
  type TextPart,
  type TitledRef,
} from './lookup/types.ts'
export { openWarehouse, type QueryWarehouseOptions, queryWarehouse, runQueue } from './open.ts'
export { HEARTBEAT_SECONDS } from './queue/boss.ts'
export type { Coordinator, EndedJob, FatalError, JobProgress, NewJob } from './queue/coordinator.ts'
export type { JoinedRun, JoinOptions, TakenJob } from './queue/joined-run.ts'
export type { Plan } from './queue/plan.ts'
export type { QueueWorker } from './queue/queue-worker.ts'
export type { ProjectAtWork, WorkerRow } from './queue/registry.ts'
export type { RunQueue } from './queue/run-queue.ts'
export type { Budget, RequestLimits, Schedule } from './queue/schedule.ts'
export type { Change, ChangesOptions, ChangesRead } from './read/changes.ts'
export { type RebuiltKind, type RelatedRows, recordOf } from './records/record-of.ts'
export type { TableRows } from './records/row-writer.ts'
export { type BatchRows, rowObjects, rowsOf } from './records/rows-of.ts'
export type { EndedRun, FollowOptions } from './run-log/ended-runs.ts'
export {
  judgeScopes,
  type ProjectReading,
  type ReadByRuns,
  type ReadRun,
  readByRuns,
  type ScopeState,
  unfinishedRuns,
} from './run-log/scope-states.ts'
export { STATUSES_BY_SEVERITY } from './run-log/scopes.ts'
export { isSameService } from './run-log/service.ts'
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
  Reading,
  RunChanges,
  RunChangesLimits,
  RunDetails,
  RunOptions,
  RunRow,
  RunScopeRow,
  RunStatus,
  ScopeToReread,
  UnprovenScope,
  UnreadItemRow,
} from './run-log/types.ts'
export { TABLES, tableByName } from './tables/index.ts'
