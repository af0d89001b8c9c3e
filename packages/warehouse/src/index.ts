export type {
  AbsentProjects,
  BeginRunOptions,
  CountsByTable,
  Coverage,
  CoveredScope,
  FinishedRun,
  FormerScope,
  FoundProjects,
  KnownId,
  KnownKind,
  KnownRow,
  LossRow,
  ProjectStage,
  PublishedScope,
  PublishResult,
  QueryOutcome,
  Reading,
  Row,
  RowsOptions,
  Run,
  RunDetails,
  RunOptions,
  RunOutcome,
  RunRow,
  RunScopeRow,
  RunStatus,
  ScopeToReread,
  ShrinkLimits,
  TableCounts,
  UnreadItemRow,
  Warehouse,
  WarehouseOptions,
} from './api.ts'
export { type RebuiltKind, type RelatedRows, recordOf } from './convert/record-of.ts'
export type { TableRows } from './convert/row-writer.ts'
export { type BatchRows, rowObjects, rowsOf } from './convert/rows-of.ts'
export { ScopeMemory } from './convert/scope-memory.ts'
export type { DescribedColumn, DescribedObject, Relation, SchemaDescription } from './describe/types.ts'
export { isWarehouseError, WarehouseError, type WarehouseErrorCode } from './errors.ts'
export { isSameService } from './ledger/service.ts'
export { openWarehouse } from './open.ts'
export { queryWarehouse } from './query.ts'
export { TABLES, tableByName } from './tables/index.ts'
export type { Cell, Column, ColumnType, DeletedBy, Table, TableName } from './tables/table.ts'
export type {
  Certificate,
  ComparedScope,
  Difference,
  DifferenceKind,
  SeenProjects,
  Verification,
  VerificationStage,
} from './verify/types.ts'
