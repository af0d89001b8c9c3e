export type {
  AbsentProjects,
  CountsByTable,
  FinishedRun,
  KnownKind,
  KnownRow,
  LossRow,
  ProjectStage,
  PublishedScope,
  PublishResult,
  QueryOutcome,
  Row,
  RowsOptions,
  Run,
  RunDetails,
  RunOutcome,
  RunRow,
  RunScopeRow,
  RunStatus,
  ShrinkLimits,
  TableCounts,
  Warehouse,
  WarehouseOptions,
} from './api.ts'
export { isWarehouseError, WarehouseError, type WarehouseErrorCode } from './errors.ts'
export { openWarehouse } from './open.ts'
export type { Cell, Column, ColumnType, DeletedBy, Table, TableName } from './tables/table.ts'
