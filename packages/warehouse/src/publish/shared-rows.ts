import { storedId } from '../convert/text.ts'
import type { Connection } from '../driver/driver.ts'
import { expectRows, expectSame } from '../driver/written-rows.ts'
import type { SchemaNames } from '../names.ts'
import { columnList, quoted } from '../names.ts'
import { stagedColumns } from '../staging/shape.ts'
import { usersSeen } from '../staging/slots.ts'
import { tableByName } from '../tables/index.ts'
import { runBound } from './bind.ts'
import type { PublishContext } from './context.ts'
import { historyOf, replacingVersion, versionColumns } from './history.ts'

const USERS = tableByName('users')
const COLUMNS = stagedColumns(USERS).map((column) => column.name)
const KNOWN = [
  ['known_posts', 'post_id'],
  ['known_files', 'fid'],
] as const

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
  const noted = await context.run(
    `WITH seen AS MATERIALIZED (SELECT DISTINCT ${columns} FROM ${stage}),
      added AS (INSERT INTO ${usersSeen(context.task.schema)} (${columns}, _seq) SELECT ${columns}, 0 FROM seen RETURNING 1)
      SELECT (SELECT count(*) FROM seen), (SELECT count(*) FROM added)`,
  )
  const [seen, added] = noted.rows[0] ?? []
  expectRows('users_seen', 'inserted', Number(added), Number(seen))
}

/** Rows that stay as they are where they are stored already: on tables with triggers, all of them must be there. */
export async function expectShared(context: PublishContext, triggered: ReadonlySet<string>): Promise<void> {
  const { slot, schema } = context.task
  if (triggered.has('users') && context.isStaged('users')) {
    expectSame('users', await context.number(context.sqlOf('users').countNotStored()))
  }
  for (const [name, id] of KNOWN) {
    if (!triggered.has(name) || !slot.has(name)) continue
    const missing = await context.number(
      `SELECT count(*) FROM ${slot.table(name)} s
       WHERE NOT EXISTS (SELECT FROM ${schema.main}.${name} k WHERE k.pid = s.pid AND k.${id} = s.${id})`,
    )
    expectSame(name, missing)
  }
}

/**
 * Applies, once at the end of a run, what was seen of users in all its projects. Where a user was seen in several versions
 * the stored one stays if it is among the fullest of them, else the first in a fixed order is taken: a service that does
 * not change never makes a row go back and forth. Gives the number of rows written.
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
        )}, d._from, @at FROM diff d WHERE d._is_version AND d._from < @at
        ${isRetry ? replacingVersion(USERS) : ''} RETURNING 1
      )
      SELECT (SELECT count(*) FROM diff), (SELECT count(*) FROM changed),
        (SELECT count(*) FROM diff WHERE _is_version AND _from < @at), (SELECT count(*) FROM kept)`,
    { at: startedAt.toISOString() },
  )
  const [given = 0, changed = 0, superseded = 0, kept = 0] = rows[0] ?? []
  expectRows('users', 'updated', Number(changed), Number(given))
  expectRows('history of users', 'inserted', Number(kept), Number(superseded))
  return Number(changed)
}

/** Keeps ids that were found; those of other projects too, so that they go in the order of their keys. */
export async function insertKnown(context: PublishContext): Promise<void> {
  const { slot, schema } = context.task
  for (const [name, id] of KNOWN) {
    if (!slot.has(name)) continue
    await context.run(
      `INSERT INTO ${schema.main}.${name} (pid, ${id}, source, first_seen_at)
       SELECT DISTINCT ON (pid, ${id}) pid, ${id}, source, @at FROM ${slot.table(name)} ORDER BY pid, ${id}, _seq, source
       ON CONFLICT DO NOTHING`,
    )
  }
}

/** Code of items that were not requested, because too many before them failed. */
const NOT_REQUESTED = 'NOT_REQUESTED'

/** The longest time before an id that does not exist is asked for again. */
const LONGEST_WAIT_DAYS = 30

/** When an id is requested again after it failed `missed` times before; less the six hours by which one night may begin early. */
const ASK_AGAIN = `@at::timestamptz + make_interval(days => least(${LONGEST_WAIT_DAYS}, 1 << least(missed, 5)), hours => -6)`

/**
 * Notes which ids the service says do not exist, and which could not be read though only texts name them: both are requested
 * again after 1, 2, 4, … days. What is stored or named by a field is requested in every run, whatever was answered once.
 */
export async function noteMissing(context: PublishContext): Promise<void> {
  const { schema } = context.task
  for (const [name, id, table] of [
    ['known_posts', 'post_id', 'posts'],
    ['known_files', 'fid', 'files'],
  ] as const) {
    if (!context.touchedTables.some((touched) => touched.name === table)) continue
    const known = `${schema.main}.${name}`
    const ids = context.goneIds(table)
    if (ids.length > 0) {
      await context.run(
        `UPDATE ${known} SET missed = missed + 1, unread = false, ask_again_at = ${ASK_AGAIN} WHERE pid = @pid AND ${id} = ANY (@ids)`,
        { ids },
      )
    }
    const unread = context.scope(table)?.result.unread ?? []
    const idsOf = (items: typeof unread) => items.map((item) => storedId(item.id))
    const failed = unread.filter(({ error }) => error.code !== NOT_REQUESTED)
    if (failed.length > 0) {
      await context.run(
        `UPDATE ${known} SET unread = true, missed = CASE WHEN ${id} = ANY (@texts) THEN missed + 1 ELSE missed END,
           ask_again_at = CASE WHEN ${id} = ANY (@texts) THEN ${ASK_AGAIN} END
         WHERE pid = @pid AND ${id} = ANY (@ids)`,
        { ids: idsOf(failed), texts: idsOf(failed.filter(({ isFromText }) => isFromText)) },
      )
    }
    await context.run(
      `UPDATE ${known} k SET missed = 0, unread = false, ask_again_at = NULL
       WHERE pid = @pid AND (missed > 0 OR unread) AND NOT (${id} = ANY (@unread))
         AND EXISTS (SELECT FROM ${schema.main}.${table} t WHERE t.pid = k.pid AND t.${id} = k.${id} AND t.deleted_at IS NULL)`,
      { unread: idsOf(unread) },
    )
  }
}

/** Kinds that a service may cause in every record, every night: they are listed once where all records of a scope have them. */
const OF_ALL_RECORDS = ['left_out', 'coerced']

/**
 * Lists a field that every record of a scope was sent without, or in another form, once: as record `*`, with the number of records.
 * That is exact, and an older service does not add a row for each record in every run.
 */
async function joinLosses(context: PublishContext, staged: string): Promise<void> {
  const scopes = context.task.scopes.filter(({ result }) => result.read > 1)
  if (scopes.length === 0) return
  await context.run(
    `WITH joined AS (
        SELECT l.stream, l.field, l.kind, count(DISTINCT l.record_key) AS records, min(l._seq) AS _seq
        FROM ${staged} l JOIN unnest(@texts, @seqs) AS r (stream, records) ON r.stream = l.stream
        WHERE l.kind = ANY (@ids) GROUP BY l.stream, l.field, l.kind, r.records HAVING count(DISTINCT l.record_key) >= r.records
      ), dropped AS (
        DELETE FROM ${staged} l USING joined j WHERE l.stream = j.stream AND l.field = j.field AND l.kind = j.kind)
     INSERT INTO ${staged} (stream, record_key, field, kind, original, _seq)
     SELECT stream, '*', field, kind, records::text, _seq FROM joined`,
    { texts: scopes.map(({ stream }) => stream), seqs: scopes.map(({ result }) => result.read), ids: OF_ALL_RECORDS },
  )
}

/** Lists the losses, numbered within the run; gives how many there are. */
export async function insertLosses(context: PublishContext): Promise<number> {
  const { slot, schema } = context.task
  const staged = slot.table('losses')
  await joinLosses(context, staged)
  const { rows } = await context.run(`SELECT count(*) FROM ${staged}`)
  const count = Number(rows[0]?.[0] ?? 0)
  if (count === 0) return 0
  const inserted = await context.run(
    `INSERT INTO ${schema.main}.losses (run_id, seq, pid, stream, record_key, field, kind, original)
     SELECT @run, @base + row_number() OVER (ORDER BY _seq, ctid) - 1, @pid, stream, record_key, field, kind, original FROM ${staged}`,
    { base: context.task.reserveLosses(count) },
  )
  expectRows('losses', 'inserted', inserted.count, count)
  return count
}
