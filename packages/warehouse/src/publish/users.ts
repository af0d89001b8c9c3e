import type { Connection } from '../driver/driver.ts'
import { expectRows, expectSame } from '../driver/written-rows.ts'
import { columnList, historyOf, quoted, type SchemaNames } from '../names.ts'
import { SEQ_BITS, stagedColumns, streamIndex } from '../staging/shape.ts'
import { usersSeen } from '../staging/users-seen.ts'
import { TABLES, tableByName } from '../tables/index.ts'
import { versionColumns } from '../tables/table.ts'
import { runBound } from './bind.ts'
import type { PublishContext } from './context.ts'
import { beginOf, isOfOtherRun, replacingVersion } from './history.ts'

const USERS = tableByName('users')
const COLUMNS = stagedColumns(USERS).map((column) => column.name)

/** Columns by which versions of a user are distinguished. */
const STABLE = stagedColumns(USERS)
  .filter(({ name, volatile, keptIfMissing }) => !USERS.key.includes(name) && !volatile && !keptIfMissing)
  .map((column) => column.name)
const VOLATILE = USERS.columns.filter((column) => column.volatile === true).map((column) => column.name)

/** Columns that only some records have. A change makes a new version, but no value is ever emptied. */
const KEPT = USERS.columns.filter((column) => column.keptIfMissing === true).map((column) => column.name)

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
  const inPlaces = `${stage} s JOIN (VALUES ${placesOf(context).join(', ')}) AS p (stream, place, is_whole) ON p.stream = s._seq >> ${SEQ_BITS}`
  const { rows } = await context.run(
    `WITH seen AS MATERIALIZED (SELECT DISTINCT ON (uid) ${columns} FROM ${stage} ORDER BY uid, ${ORDER}, ${columnList([...KEPT, ...VOLATILE])}),
      added AS (
        INSERT INTO ${target} (${columns}, valid_from) SELECT ${columns}, @at FROM seen ORDER BY uid ON CONFLICT DO NOTHING RETURNING 1),
      placed AS MATERIALIZED (SELECT DISTINCT ${columns}, p.place, p.is_whole FROM ${inPlaces}),
      noted AS (
        INSERT INTO ${usersSeen(context.task.schema)} (${columns}, place, is_whole, pid, seen_at)
        SELECT ${columns}, place, is_whole, @list, @at FROM placed RETURNING 1)
      SELECT (SELECT count(*) FROM seen), (SELECT count(*) FROM added), (SELECT count(*) FROM placed), (SELECT count(*) FROM noted)`,
  )
  const [read = 0, inserted = 0, placed = 0, noted = 0] = (rows[0] ?? []).map(Number)
  context.count('users', null, 'read', read)
  context.count('users', null, 'inserted', inserted)
  expectRows('users_seen', 'inserted', noted, placed)
  if (inserted === 0) return
  // now, because the run may be killed: without a place, no later run could empty a value of this version
  await context.run(
    `INSERT INTO ${context.task.schema.main}.user_places (uid, pid, place)
     SELECT DISTINCT ON (s.uid) s.uid, @list, p.place FROM ${inPlaces}
     JOIN ${target} u ON u.uid = s.uid AND u.valid_from = @at AND (${columnList(STABLE, 'u')}) IS NOT DISTINCT FROM (${columnList(STABLE, 's')})
     ORDER BY s.uid, p.is_whole DESC, p.place DESC ON CONFLICT DO NOTHING`,
  )
}

/** Of each stream, the table of its records; of the comments of tasks, which are read in part, no run sees all. */
const PLACES = TABLES.filter(
  ({ isRecord, parent }) => isRecord && (parent === undefined || parent.readBy !== undefined),
)

/** For each stream, by its number: the table whose records show users, and whether all its records were read. */
function placesOf(context: PublishContext): string[] {
  return PLACES.flatMap((table) => {
    const isCarried = table.streams.some((stream) => context.scope(stream)?.result.carried !== undefined)
    const isWhole = context.mayMark(table) && !isCarried && table.parent === undefined
    return table.streams.map((stream) => `(${streamIndex(stream)}, '${table.name}', ${isWhole})`)
  })
}

/** On tables with triggers: users stay as they are where they are stored already, and all of them must be there. */
export async function expectUsers(context: PublishContext, triggered: ReadonlySet<string>): Promise<void> {
  if (!triggered.has('users') || !context.isStaged('users')) return
  expectSame('users', await context.number(context.sqlOf('users').countNotStored()))
}

/**
 * Updates users, once at the end of a run, from the versions read in all projects. Of several versions of a user, the fullest counts; of
 * equally full ones the latest, then the stored one, then the first in a fixed order, so that a row does not change back and forth while the
 * service is unchanged. A version that lacks a value of the stored one counts only if it has more values in all, or if the place that showed
 * the stored version no longer shows it: other places may never show all values. Versions `areStored` of a backup all count. Returns the
 * number of rows written.
 */
export async function updateUsers(
  connection: Connection,
  schema: SchemaNames,
  run: { readonly id: string; readonly startedAt: Date; readonly areStored: boolean },
  isRetry: boolean,
): Promise<number> {
  const stable = (alias: string) => `(${columnList(STABLE, alias)})`
  const versions = versionColumns(USERS)
  const old = versions.map((name) => `u.${quoted(name)} AS ${quoted(`_old_${name}`)}`)
  const as = (names: readonly string[], value: (name: string) => string) =>
    names.map((name) => `${value(quoted(name))} AS ${quoted(name)}`).join(', ')
  const versioned = (alias: string) => `(${columnList([...STABLE, ...KEPT], alias)})`
  const all = [...STABLE, ...VOLATILE, ...KEPT]
  const users = `${schema.main}.users`
  const [seen, places] = [usersSeen(schema), `${schema.main}.user_places`]
  await forgetReread(connection, schema, run)
  // the tables may have no statistics
  await connection.script('SET LOCAL enable_nestloop = off')
  if (isRetry) {
    const locked = `SELECT FROM ${users} u WHERE u.uid IN (SELECT s.uid FROM ${seen} s) ORDER BY u.uid FOR UPDATE`
    await connection.query(`SELECT count(*) FROM (${locked}) l`)
  }
  const { rows } = await runBound(
    connection,
    `WITH versions AS (
        SELECT uid, ${columnList(STABLE)}, max(seen_at) AS _seen_at, ${as([...VOLATILE, ...KEPT], (name) => `max(max(${name})) OVER (PARTITION BY uid)`)}
        FROM ${seen} GROUP BY uid, ${columnList(STABLE)}
      ), ranked AS (
        SELECT *, rank() OVER (PARTITION BY uid ORDER BY num_nonnulls(${columnList(STABLE)}) DESC, _seen_at DESC) AS _rank,
          row_number() OVER (PARTITION BY uid ORDER BY ${ORDER}) AS _row FROM versions
      ), chosen AS (
        SELECT DISTINCT ON (r.uid) r.* FROM ranked r JOIN ${users} u ON u.uid = r.uid WHERE r._rank = 1
        ORDER BY r.uid, (u.valid_from <> @at AND ${stable('u')} IS NOT DISTINCT FROM ${stable('r')}) DESC, r._row
      ), whole AS (
        SELECT uid, pid, place FROM ${seen} GROUP BY uid, pid, place HAVING bool_and(is_whole)
      ), judged AS (
        SELECT c.*, num_nonnulls(${columnList(STABLE, 'c')}) > num_nonnulls(${columnList(STABLE, 'u')})
          OR (${STABLE.map((name) => `(u.${quoted(name)} IS NULL OR c.${quoted(name)} IS NOT NULL)`).join(' AND ')})
          OR w.uid IS NOT NULL OR u.valid_from = @at OR ${run.areStored} AS _counts
        FROM chosen c JOIN ${users} u ON u.uid = c.uid
        LEFT JOIN ${places} p ON p.uid = c.uid LEFT JOIN whole w ON w.uid = p.uid AND w.pid = p.pid AND w.place = p.place
      ), next AS (
        SELECT c.uid, ${as(STABLE, (name) => `CASE WHEN c._counts THEN c.${name} ELSE u.${name} END`)},
          ${as([...VOLATILE, ...KEPT], (name) => `coalesce(c.${name}, u.${name})`)} FROM judged c JOIN ${users} u ON u.uid = c.uid
      ), diff AS MATERIALIZED (
        SELECT n.*, u.ctid AS _at, u.valid_from AS _from, ${versioned('u')} IS DISTINCT FROM ${versioned('n')} AS _is_version, ${old.join(', ')}
        FROM ${users} u JOIN next n ON u.uid = n.uid WHERE (${columnList(all, 'u')}) IS DISTINCT FROM (${columnList(all, 'n')})
      ), changed AS (
        UPDATE ${users} u SET ${all.map((name) => `${quoted(name)} = d.${quoted(name)}`).join(', ')},
          valid_from = CASE WHEN d._is_version THEN @at ELSE u.valid_from END
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
    { at: run.startedAt.toISOString() },
  )
  const [given = 0, changed = 0, superseded = 0, kept = 0] = rows[0] ?? []
  expectRows('users', 'updated', Number(changed), Number(given))
  expectRows('history of users', 'inserted', Number(kept), Number(superseded))
  await notePlaces(connection, schema, run)
  return Number(changed)
}

/** Deletes what resumed runs saw in places that this run has read to the end. */
async function forgetReread(
  connection: Connection,
  schema: SchemaNames,
  { id, startedAt }: { readonly id: string; readonly startedAt: Date },
): Promise<void> {
  const earlier = `FROM ${usersSeen(schema)} WHERE seen_at <> $1::timestamptz`
  const at = startedAt.toISOString()
  const { rows: seen } = await connection.query(`SELECT DISTINCT pid ${earlier}`, [at])
  if (seen.length === 0) return
  const streams = PLACES.filter(({ parent }) => parent === undefined).flatMap((table) =>
    table.streams.map((stream) => `('${stream}', '${table.name}', ${table.streams.length})`),
  )
  const { rows: whole } = await connection.query(
    `SELECT s.pid, p.place FROM ${schema.main}.run_scopes s JOIN (VALUES ${streams.join(', ')}) AS p (stream, place, streams) ON p.stream = s.stream
     WHERE s.run_id = $1 AND s.pid = ANY ($2::text[]) AND s.status = 'complete' AND s.carried = 0
     GROUP BY s.pid, p.place, p.streams HAVING count(*) = p.streams`,
    [id, seen.flat()],
  )
  await connection.query(`DELETE ${earlier} AND (pid, place) IN (SELECT * FROM unnest($2::text[], $3::text[]))`, [
    at,
    whole.map(([pid]) => pid),
    whole.map(([, place]) => place),
  ])
}

/**
 * Stores for each user a place that shows the stored version: preferably one that was read to its end, and the known one before others. The
 * place of a version that this run stored is the one that happened to be published first: it has no precedence.
 */
async function notePlaces(
  connection: Connection,
  schema: SchemaNames,
  { startedAt }: { readonly startedAt: Date },
): Promise<void> {
  const [seen, places] = [usersSeen(schema), `${schema.main}.user_places`]
  const stable = (alias: string) => `(${columnList(STABLE, alias)})`
  await connection.query(
    `INSERT INTO ${places} AS p (uid, pid, place)
     SELECT DISTINCT ON (s.uid) s.uid, s.pid, s.place FROM ${seen} s
     JOIN ${schema.main}.users u ON u.uid = s.uid AND ${stable('u')} IS NOT DISTINCT FROM ${stable('s')}
     LEFT JOIN ${places} n ON n.uid = s.uid
     ORDER BY s.uid, s.is_whole DESC, (u.valid_from <> $1 AND n.pid = s.pid AND n.place = s.place) IS TRUE DESC, s.place DESC, s.pid
     ON CONFLICT (uid) DO UPDATE SET pid = excluded.pid, place = excluded.place
     WHERE (p.pid, p.place) IS DISTINCT FROM (excluded.pid, excluded.place)`,
    [startedAt.toISOString()],
  )
}
