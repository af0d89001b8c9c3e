import type { PublishedScope, UnreadItemRow } from '../runs/types.ts'
import type { TableName } from '../tables/table.ts'

/** The deletion guard: which share of the stored rows may be marked deleted at once. */
export interface DeletionLimits {
  /** Fraction from 0 to 1: a scope that would mark a larger share of its live rows deleted marks none (status `refused`). */
  readonly maxShrink: number
  /** Publish even if `maxShrink` is exceeded. */
  readonly allowShrink: boolean
}

/** Rows of a table: read, and how many of them were written. */
export interface TableCounts {
  read: number
  inserted: number
  updated: number
  deleted: number
}

/** The counts of each table that was touched. */
export type CountsByTable = Partial<Record<TableName, TableCounts>>

/** What publishing a project stored. */
export interface PublishResult {
  readonly tables: CountsByTable
  readonly scopes: PublishedScope[]
  /** How many conversion issues were listed. */
  readonly losses: number
  /** Items of its scopes that could not be read, and those that wait for their next request. */
  readonly unread: UnreadItemRow[]
}
