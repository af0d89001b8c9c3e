export type { MovedTable } from './copy-tables.ts'
export { type Moved, type MoveOptions, moveWarehouse } from './move.ts'
