import type { SchemaNames } from '../names.ts'
import { TABLES } from './index.ts'
import { LOG_TABLES, type LogTable } from './run-log.ts'
import type { Table } from './table.ts'
import { UPGRADES, type Upgrade } from './upgrades.ts'

export interface Definition {
  readonly tables: readonly Table[]
  readonly logTables: readonly LogTable[]
  readonly upgrades: readonly Upgrade[]
}

export const DEFINITION: Definition = { tables: TABLES, logTables: LOG_TABLES, upgrades: UPGRADES }

export const versionOf = ({ upgrades }: Definition): number => 1 + upgrades.length

/** The version of the schema that this tool makes. */
export const SCHEMA_VERSION = versionOf(DEFINITION)

/** SQL of the schema names it `collab`, and its history `collab_history`; gives the same for a schema of another name. */
export function inSchema(sql: string, schema: SchemaNames): string {
  return sql.replaceAll(/\bcollab(_history)?\./g, (_, past) => `${past === undefined ? schema.main : schema.history}.`)
}
