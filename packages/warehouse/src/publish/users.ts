import type { Connection } from '../driver/driver.ts'
import { expectRows, expectSame } from '../driver/written-rows.ts'
import { columnList, quoted, type SchemaNames } from '../names.ts'
import { stagedColumns } from '../staging/shape.ts'
import { usersSeen } from '../staging/slots.ts'
import { tableByName } from '../tables/index.ts'
import { runBound } from './bind.ts'
import type { PublishContext } from './context.ts'
import { beginOf, historyOf, isOfOtherRun, replacingVersion, versionColumns } from './history.ts'

const USERS = tableByName('users')
const COLUMNS = stagedColumns(USERS).map((column) => column.name)

/** Columns of which a change makes a new version of a user: all but the key and the volatile ones. */
const STABLE = stagedColumns(USERS)
  .filter((column) => !USERS.key.includes(column.name) && column.volatile !== true)
  .map((column) => column.name)
const VOLATILE = USERS.columns.filter((column) => column.volatile === true).map((column) => column.name)

/** An order of versions that depends on nothing but themselves. */
const ORDER = `num_nonnulls(${columnList(STABLE)}) DESC, ${STABLE.map((name) => `"${name}"::text COLLATE "C"`).join(', ')}`

/**
 * Inserts new users, and gathers the versions of all users that were read. Projects that publish at once have users in common: each
 * inserts them in the order of their ids, as its last but one step, so that they do not deadlock.
 */
export async function insertUsers(context: PublishContext): Promise<void> {
  if (!context.isStaged('users')) return
  const { target, stage } = context.sqlOf('users')
  const columns = columnList(COLUMNS)
  const { rows } = await context.run(
    `WITH seen AS MATERIALIZED (SELECT DISTINCT ON (uid) ${columns} FROM ${stage} ORDER BY uid, ${ORDER}, ${columnList(VOLATILE)}),
      added AS (
        INSERT INTO ${target} (${columns}, valid_from) SELECT ${columns}, @at FROM seen ORDER BY uid ON CONFLICT DO NOTHING RETURNING 1)
      SELECT (SELECT count(*) FROM seen), (SELECT count(*) FROM added)`,
  )
  const [read, inserted] = rows[0] ?? []
  context.count('users', null, 'read', Number(read))
  context.count('users', null, 'inserted', Number(inserted))
  const noted = await context.run(
    `WITH seen AS MATERIALIZED (SELECT DISTINCT ${columns} FROM ${stage}),
      added AS (INSERT INTO ${usersSeen(context.task.schema)} (${columns}, _seq) SELECT ${columns}, 0 FROM seen RETURNING 1)
      SELECT (SELECT count(*) FROM seen), (SELECT count(*) FROM added)`,
  )
  const [seen, added] = noted.rows[0] ?? []
  expectRows('users_seen', 'inserted', Number(added), Number(seen))
}

/** On tables with triggers: users stay as they are where they are stored already, and all of them must be there. */
export async function expectUsers(context: PublishContext, triggered: ReadonlySet<string>): Promise<void> {
  if (!triggered.has('users') || !context.isStaged('users')) return
  expectSame('users', await context.number(context.sqlOf('users').countNotStored()))
}

/**
 * Updates users, once at the end of a run, from the versions read in all projects. Of several versions of a user, the stored one stays
 * if it has as many values as any other, else the first in a fixed order counts: an unchanged service never changes a row back
 * and forth. Returns the number of rows written.
 */
export async function updateUsers(
  connection: Connection,
  schema: SchemaNames,
  startedAt: Date,
  isRetry: boolean,
): Promise<number> {
  const stable = (alias: string) => `(${columnList(STABLE, alias)})`
  const all = (alias: string) => `(${columnList([...STABLE, ...VOLATILE], alias)})`
  const versions = versionColumns(USERS)
  const old = versions.map((name) => `u.${quoted(name)} AS ${quoted(`_old_${name}`)}`)
  const sets = [...STABLE, ...VOLATILE].map((name) => `"${name}" = d."${name}"`).join(', ')
  const users = `${schema.main}.users`
  // the tables may have no statistics
  await connection.script('SET LOCAL enable_nestloop = off')
  if (isRetry) {
    const seen = `SELECT FROM ${users} u WHERE u.uid IN (SELECT s.uid FROM ${usersSeen(schema)} s) ORDER BY u.uid FOR UPDATE`
    await connection.query(`SELECT count(*) FROM (${seen}) l`)
  }
  const { rows } = await runBound(
    connection,
    `WITH versions AS (
        SELECT uid, ${columnList(STABLE)}, ${VOLATILE.map((name) => `max(max("${name}")) OVER (PARTITION BY uid) AS "${name}"`).join(', ')}
        FROM ${usersSeen(schema)} GROUP BY uid, ${columnList(STABLE)}
      ), ranked AS (
        SELECT *, rank() OVER (PARTITION BY uid ORDER BY num_nonnulls(${columnList(STABLE)}) DESC) AS _rank,
          row_number() OVER (PARTITION BY uid ORDER BY ${ORDER}) AS _row FROM versions
      ), chosen AS (
        SELECT DISTINCT ON (r.uid) r.* FROM ranked r JOIN ${users} u ON u.uid = r.uid WHERE r._rank = 1
        ORDER BY r.uid, (u.valid_from <> @at AND ${stable('u')} IS NOT DISTINCT FROM ${stable('r')}) DESC, r._row
      ), diff AS MATERIALIZED (
        SELECT c.*, u.ctid AS _at, u.valid_from AS _from, ${stable('u')} IS DISTINCT FROM ${stable('c')} AS _is_version, ${old.join(', ')}
        FROM ${users} u JOIN chosen c ON u.uid = c.uid WHERE ${all('u')} IS DISTINCT FROM ${all('c')}
      ), changed AS (
        UPDATE ${users} u SET ${sets}, valid_from = CASE WHEN d._is_version THEN @at ELSE u.valid_from END
        FROM diff d WHERE u.uid = d.uid AND u.ctid = d._at RETURNING 1
      ), kept AS (
        INSERT INTO ${historyOf(schema, USERS)} (${columnList(versions)}, valid_from, valid_to)
        SELECT ${columnList(
          versions.map((name) => `_old_${name}`),
          'd',
        )}, ${beginOf('d._from')}, @at FROM diff d WHERE d._is_version AND ${isOfOtherRun('d._from')}
        ${isRetry ? replacingVersion(USERS) : ''} RETURNING 1
      )
      SELECT (SELECT count(*) FROM diff), (SELECT count(*) FROM changed),
        (SELECT count(*) FROM diff WHERE _is_version AND ${isOfOtherRun('_from')}), (SELECT count(*) FROM kept)`,
    { at: startedAt.toISOString() },
  )
  const [given = 0, changed = 0, superseded = 0, kept = 0] = rows[0] ?? []
  expectRows('users', 'updated', Number(changed), Number(given))
  expectRows('history of users', 'inserted', Number(kept), Number(superseded))
  return Number(changed)
}
