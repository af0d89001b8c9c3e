import type { Connection } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { columnList } from '../names.ts'
import { usersSeen } from '../staging/lanes.ts'
import { stagedColumns } from '../staging/shape.ts'
import { tableByName } from '../tables/index.ts'
import { runBound } from './bind.ts'
import type { PublishContext } from './context.ts'
import { historyOf, versionColumns } from './history.ts'

const USERS = tableByName('users')
const COLUMNS = stagedColumns(USERS).map((column) => column.name)
/** What makes a version of a user: all but the key and what changes all the time. */
const STABLE = stagedColumns(USERS)
  .filter((column) => !USERS.key.includes(column.name) && column.volatile !== true)
  .map((column) => column.name)
const VOLATILE = USERS.columns.filter((column) => column.volatile === true).map((column) => column.name)

/** An order of versions that depends on nothing but themselves. */
const ORDER = `num_nonnulls(${columnList(STABLE)}) DESC, ${STABLE.map((name) => `"${name}"::text COLLATE "C"`).join(', ')}`

/**
 * Inserts users who are not stored yet, and gathers what was seen of all. Projects that publish at once have users in
 * common: each inserts them in the order of their ids, as its last but one step, so that none waits for one who waits for it.
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
  await context.run(
    `INSERT INTO ${usersSeen(context.task.schema)} (${columns}, _seq) SELECT DISTINCT ${columns}, 0 FROM ${stage}`,
  )
}

/**
 * Applies, once at the end of a run, what was seen of users in all its projects. Where a user was seen in several versions
 * the stored one stays if it is among the fullest of them, else the first in a fixed order is taken: a service that does
 * not change never makes a row go back and forth. Gives the number of rows written.
 */
export async function updateUsers(connection: Connection, schema: SchemaNames, startedAt: Date): Promise<number> {
  const stable = (alias: string) => `(${columnList(STABLE, alias)})`
  const all = (alias: string) => `(${columnList([...STABLE, ...VOLATILE], alias)})`
  const versions = columnList(versionColumns(USERS))
  const sets = [...STABLE, ...VOLATILE].map((name) => `"${name}" = c."${name}"`).join(', ')
  const { count } = await runBound(
    connection,
    `WITH versions AS (
        SELECT uid, ${columnList(STABLE)}, ${VOLATILE.map((name) => `max(max("${name}")) OVER (PARTITION BY uid) AS "${name}"`).join(', ')}
        FROM ${usersSeen(schema)} GROUP BY uid, ${columnList(STABLE)}
      ), ranked AS (
        SELECT *, rank() OVER (PARTITION BY uid ORDER BY num_nonnulls(${columnList(STABLE)}) DESC) AS _rank,
          row_number() OVER (PARTITION BY uid ORDER BY ${ORDER}) AS _row FROM versions
      ), chosen AS (
        SELECT DISTINCT ON (r.uid) r.* FROM ranked r JOIN ${schema.main}.users u ON u.uid = r.uid WHERE r._rank = 1
        ORDER BY r.uid, (u.valid_from <> @at AND ${stable('u')} IS NOT DISTINCT FROM ${stable('r')}) DESC, r._row
      ), kept AS (
        INSERT INTO ${historyOf(schema, USERS)} (${versions}, valid_from, valid_to)
        SELECT ${columnList(versionColumns(USERS), 'u')}, u.valid_from, @at FROM ${schema.main}.users u JOIN chosen c ON u.uid = c.uid
        WHERE u.valid_from < @at AND ${stable('u')} IS DISTINCT FROM ${stable('c')}
      )
      UPDATE ${schema.main}.users u SET ${sets},
        valid_from = CASE WHEN ${stable('u')} IS DISTINCT FROM ${stable('c')} THEN @at ELSE u.valid_from END
      FROM chosen c WHERE u.uid = c.uid AND ${all('u')} IS DISTINCT FROM ${all('c')}`,
    { at: startedAt.toISOString() },
  )
  return count
}

/** Keeps ids that were found; those of other projects too, so that they go in the order of their keys. */
export async function insertKnown(context: PublishContext): Promise<void> {
  const { lane, schema } = context.task
  for (const [name, id] of [
    ['known_posts', 'post_id'],
    ['known_files', 'fid'],
  ] as const) {
    if (!lane.has(name)) continue
    await context.run(
      `INSERT INTO ${schema.main}.${name} (pid, ${id}, source, first_seen_at)
       SELECT DISTINCT ON (pid, ${id}) pid, ${id}, source, @at FROM ${lane.table(name)} ORDER BY pid, ${id}, _seq, source
       ON CONFLICT DO NOTHING`,
    )
  }
}

/** Lists the losses, numbered within the run; gives how many there are. */
export async function insertLosses(context: PublishContext): Promise<number> {
  const { lane, schema } = context.task
  const staged = lane.table('losses')
  const { rows } = await context.run(`SELECT count(*) FROM ${staged}`)
  const count = Number(rows[0]?.[0] ?? 0)
  if (count === 0) return 0
  await context.run(
    `INSERT INTO ${schema.main}.losses (run_id, seq, pid, stream, record_key, field, kind, original)
     SELECT @run, @base + row_number() OVER (ORDER BY _seq, ctid) - 1, @pid, stream, record_key, field, kind, original FROM ${staged}`,
    { base: context.task.reserveLosses(count) },
  )
  return count
}
