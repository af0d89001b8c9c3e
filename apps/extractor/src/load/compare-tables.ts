import type { BackupManifest } from '@collab-etl/backups'
import { formatNumber } from '@collab-etl/cli'
import { isWhole } from '@collab-etl/contract/streams'
import { isUid, TABLES, type TableName, type Warehouse } from '@collab-etl/warehouse'
import type { OpenedBackup } from './load-backup.ts'

/** A table that is not as a backup states it. */
export interface DifferingTable {
  readonly table: string
  /** Number of rows in the backup, and in the warehouse. */
  readonly stated: number
  readonly loaded: number
}

/** What a comparison of a warehouse with a backup found. */
export interface Comparison {
  /** Names of the tables that were compared. */
  readonly compared: readonly string[]
  readonly differing: readonly DifferingTable[]
}

/**
 * Compares the tables of a warehouse with what its newest backup states of them, as far as the backup has all their columns. With earlier
 * backups, only tables that the newest one has completely: of the others, rows of the earlier ones stay.
 */
export async function compareTables(
  warehouse: Warehouse,
  { backup: { manifest }, batches }: OpenedBackup,
  isAlone: boolean,
): Promise<Comparison> {
  const { tables: stated = {}, projects } = manifest
  const compared = TABLES.filter(({ name, streams }) => {
    if (stated[name] === undefined || !batches.holdsAll(name)) return false
    return isAlone || streams.every((stream) => isWholeIn(manifest, stream))
  })
  // of users, those count whom the rows of all tables name
  const isNamedElsewhere = TABLES.some(
    (table) =>
      stated[table.name] !== undefined && !compared.includes(table) && table.columns.some(({ name }) => isUid(name)),
  )
  const names: TableName[] = compared.map(({ name }) => name).filter((name) => name !== 'users' || !isNamedElsewhere)
  const pids = projects.map(({ pid }) => pid)
  const loaded = await warehouse.rows.hashes({ tables: names, pids })
  const differing = names.flatMap((table): DifferingTable[] => {
    const [ours, theirs] = [loaded[table], stated[table]]
    if (ours === undefined || theirs === undefined || ours.hash === theirs.hash) return []
    return [{ table, stated: theirs.rows, loaded: ours.rows }]
  })
  return { compared: names, differing }
}

/** Whether no project lacks anything of a stream. */
function isWholeIn({ scopes = [] }: BackupManifest, stream: string): boolean {
  return scopes.every((scope) => scope.stream !== stream || isWhole(scope))
}

/** The differences for a person. */
export function differingText(tables: readonly DifferingTable[]): string {
  const texts = tables.map(({ table, stated, loaded }) => {
    return stated === loaded
      ? `${table} (other values)`
      : `${table} (${formatNumber(loaded, 'row')} instead of ${stated})`
  })
  return texts.join(', ')
}
