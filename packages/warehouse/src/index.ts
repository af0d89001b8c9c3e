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
  QueryOutcome,
  RecordVersion,
  Row,
  RowsOptions,
  Run,
  RunOutcome,
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
export { openWarehouse, queryWarehouse } from './open.ts'
export { type RebuiltKind, type RelatedRows, recordOf } from './records/record-of.ts'
export type { TableRows } from './records/row-writer.ts'
export { type BatchRows, rowObjects, rowsOf } from './records/rows-of.ts'
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
  Coverage,
  CoveredScope,
  FormerScope,
  ItemReading,
  KnownId,
  KnownKind,
  KnownRow,
  LeftOutField,
  ListedRun,
  ListReading,
  LossRow,
  Reading,
  RunDetails,
  RunOptions,
  RunRow,
  RunScopeRow,
  RunStatus,
  ScopeToReread,
  UnreadItemRow,
} from './run-log/types.ts'
export { TABLES, tableByName } from './tables/index.ts'
