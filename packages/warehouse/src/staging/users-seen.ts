import type { Connection, Driver } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { tableByName } from '../tables/index.ts'
import { stagedColumns } from './shape.ts'

/** The versions of users that the published scopes of a run show, by place. A logged table: a run may be resumed after a crash of the server. */
export const usersSeen = (schema: SchemaNames) => `${schema.stage}.users_seen`

/**
 * A place is one table of records in one project. `is_whole`: all its records were read, so no other version of the user is there.
 * `seen_at`: the start of the run.
 */
const PLACE = { pid: 'text COLLATE "C"', place: 'text COLLATE "C"', is_whole: 'boolean', seen_at: 'timestamptz' }

/** Empties the table, when no run will resume the runs that saw these users. */
export async function forgetUsersSeen(connection: Connection, schema: SchemaNames): Promise<void> {
  const seen = usersSeen(schema)
  if ((await connection.query(`SELECT FROM ${seen} LIMIT 1`)).rows.length > 0)
    await connection.script(`TRUNCATE ${seen}`)
}

/** Creates the staging schema and the table, or replaces a table with other columns. */
export async function openUsersSeen(driver: Driver, schema: SchemaNames): Promise<void> {
  const seen = usersSeen(schema)
  const users = stagedColumns(tableByName('users'))
  const names = [...users.map(({ name }) => name), ...Object.keys(PLACE)]
  const { rows } = await driver.query(
    `SELECT ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum)`,
    [seen],
  )
  if (String(rows[0]?.[0]) === String(names)) return
  // there is none, or one that another version of this tool left
  const ofUsers = users.map((of) => `${quoted(of.name)} ${of.type}${of.collateC === true ? ' COLLATE "C"' : ''}`)
  const ofPlace = Object.entries(PLACE).map(([name, type]) => `${name} ${type} NOT NULL`)
  await driver.script(
    `CREATE SCHEMA IF NOT EXISTS ${schema.stage};
     COMMENT ON SCHEMA ${schema.stage} IS 'rows that a run has read but not published. Two tables stay between runs: users_seen, the users in what the last run published, while that run can be resumed; received, which bytes of the service became which row';
     DROP TABLE IF EXISTS ${seen};
     CREATE TABLE IF NOT EXISTS ${seen} (${[...ofUsers, ...ofPlace].join(', ')}) WITH (autovacuum_enabled = false)`,
  )
}
