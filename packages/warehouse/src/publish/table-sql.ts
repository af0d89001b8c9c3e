import { columnList, historyOf, quoted, type SchemaNames } from '../names.ts'
import { NO_HASH } from '../staging/record-hashes.ts'
import { isOfProject, LEFT_OUT_COLUMN, SEQ_BITS, stagedColumns } from '../staging/shape.ts'
import type { StagingSlot } from '../staging/slot.ts'
import { allColumns, EXTRA, RECORD_HASH, type Table, versionColumns } from '../tables/table.ts'
import { beginOf, isOfOtherRun, markDeleted, replacingVersion } from './history.ts'

/** Before the name of a field that `extra` may hold, among the columns that were left out. */
const OF_EXTRA = 'extra:'

/** Condition: a stored row is from before `@since`, or another session wrote it after the run began. */
const LIVED = '(t.valid_from < @since OR t.valid_from > @at)'

/** The stream of a staged row. */
export const streamOf = (alias: string): string => `(${alias}._seq >> ${SEQ_BITS})`

/**
 * The statements of publishing one table, made from its definition. `t` is a stored row, `s` a staged one. Every join is by
 * equality on all columns of a key, so that it can be hashed with any statistics.
 */
export class TableSql {
  readonly table: Table
  /** The resource table, and the staging table of the slot. */
  readonly target: string
  readonly stage: string
  /** Columns by which a staged and a stored row are the same; except the project's id. */
  readonly keys: readonly string[]
  /** Columns whose change makes a new version; those and the record's hash, which is updated in place. */
  readonly #stable: readonly string[]
  readonly #values: readonly string[]
  /** Columns that are not of the record; a row that comes back begins without their values. */
  readonly #kept: readonly string[]
  readonly #schema: SchemaNames
  readonly #unseen: string
  readonly #hasPid: boolean

  constructor(table: Table, schema: SchemaNames, slot: StagingSlot) {
    this.table = table
    this.target = `${schema.main}.${quoted(table.name)}`
    this.stage = slot.table(table.name)
    this.#schema = schema
    this.#unseen = slot.table('unseen')
    this.#hasPid = isOfProject(table)
    this.keys = table.key.filter((name) => name !== 'pid')
    const values = stagedColumns(table).filter(({ name }) => !table.key.includes(name))
    this.#values = values.map(({ name }) => name)
    this.#kept = (table.kept ?? []).map(({ name }) => name)
    this.#stable = values.filter((column) => column !== RECORD_HASH).map(({ name }) => name)
  }

  /** Stored rows of the project; personal webhooks are those of none, and teams belong to none. */
  ofProject(alias: string): string {
    if (this.#hasPid) return `${alias}.pid = @pid`
    const isOfMany = this.table.columns.some(({ name }) => name === 'pid')
    return isOfMany ? `${alias}.pid IS NOT DISTINCT FROM @pid` : 'true'
  }

  /**
   * The staged rows, and the stored rows that a staged one may equal: a webhook is known by its id alone, it may have been another
   * project's. Each table is narrowed down by the project's id itself, so that a statement uses one partition or server of each.
   */
  candidates(alias: string): string {
    return this.#hasPid ? `${alias}.pid = @pid` : 'true'
  }

  /** The columns that publishing reads of a stored row, by name: users may have added columns. */
  #stored(alias: string): string {
    return `${alias}.ctid AS _at, ${columnList(
      allColumns(this.table).map(({ name }) => name),
      alias,
    )}`
  }

  same(a: string, b: string, columns: readonly string[] = this.keys): string {
    if (columns.length === 0) return 'true'
    return columns.map((name) => `${a}.${quoted(name)} = ${b}.${quoted(name)}`).join(' AND ')
  }

  /**
   * Staged rows, each key once: of several the one with the most values; of those the last of the first stream, because the task list
   * has newer names of task groups than archived tasks have.
   */
  get source(): string {
    const staged = `${this.stage} s WHERE ${this.candidates('s')}`
    if (this.table.shared !== true) return `(SELECT * FROM ${staged})`
    const keys = columnList(this.keys)
    const order = `${keys}, num_nonnulls(${columnList(this.#values)}) DESC, ${streamOf('s')}, s._seq DESC`
    return `(SELECT DISTINCT ON (${keys}) * FROM ${staged} ORDER BY ${order})`
  }

  /** For projects without stored rows. In the order of the key, the index grows at its end, a third faster. */
  insertAll(): string {
    return this.#insert(`${this.source} s`)
  }

  /** How many rows are staged, each key once, by stream. */
  countStaged(): string {
    return `SELECT ${streamOf('s')}, count(*) FROM ${this.source} s GROUP BY 1`
  }

  /** How many staged keys are not stored, of any project. */
  countNotStored(): string {
    return `SELECT count(*) FROM ${this.source} s WHERE NOT EXISTS (
        SELECT FROM ${this.target} t WHERE ${this.candidates('t')} AND ${this.same('s', 't')})`
  }

  /** Keeps other sessions from changing stored rows until the transaction ends; in the order of the key, as all sessions do. */
  lockRows(): string {
    const order = this.keys.length === 0 ? '' : `ORDER BY ${columnList(this.keys)}`
    return `SELECT count(*) FROM (SELECT FROM ${this.target} t WHERE ${this.candidates('t')} ${order} FOR UPDATE) l`
  }

  /**
   * A stored version cannot have begun before the last one of its key in the history ended: if another program wrote one of them, the
   * version begins at that end.
   */
  moveBegin(): string {
    const keys = columnList(this.keys)
    const group = this.keys.length === 0 ? '' : `GROUP BY ${keys}`
    return `UPDATE ${this.target} t SET valid_from = h._until
      FROM (SELECT ${[...this.keys.map(quoted), 'max(valid_to) AS _until'].join(', ')} FROM ${historyOf(this.#schema, this.table)} h
        WHERE ${this.candidates('h')} ${group}) h
      WHERE ${this.candidates('t')} AND ${this.same('t', 'h')} AND t.deleted_at IS NULL AND t.valid_from < h._until AND h._until < @at`
  }

  /**
   * For FROM, in place of the table, where few rows are staged: the project's stored rows whose first key column equals that of a row in a
   * staging table. Each such key is looked up in the primary key's index, with any statistics. With `= ANY (ARRAY(…))` the planner may scan
   * the project and compare each row with each key. OFFSET keeps other conditions out of the look-up: partial indexes would match them.
   */
  storedByKeysOf(stage: string): string {
    const first = quoted(this.keys[0] ?? '')
    const columns = columnList(allColumns(this.table).map(({ name }) => name))
    return `(SELECT l.* FROM (SELECT DISTINCT ${first} FROM ${stage} WHERE pid = @pid) k
      CROSS JOIN LATERAL (SELECT ctid, ${columns} FROM ${this.target} r WHERE r.pid = @pid AND r.${first} = k.${first} OFFSET 0) l)`
  }

  /**
   * Writes only rows that differ, and keeps the versions that they supersede. Returns per stream how many rows were to be inserted, got a
   * new version, were to be updated, and had a version to be kept; then how many were inserted, updated and kept in all streams. With
   * `countMissing`, a line without stream means that live rows are stored that were not staged. With `replaces`, versions in the history
   * with the same key and time are replaced. With `isFew`, stored rows are looked up by the first column of the staged keys: for few staged
   * rows, comparing all stored ones would take most of the time.
   */
  merge(countMissing: boolean, replaces: boolean, isFew = false): string {
    const stored = isFew ? this.storedByKeysOf(this.stage) : this.target
    const versions = versionColumns(this.table)
    const old = versions.map((name) => `t.${quoted(name)} AS ${quoted(`_old_${name}`)}`)
    const differs = (columns: readonly string[]) =>
      `(${columnList(columns, 't')}) IS DISTINCT FROM (${columnList(columns, 's')})`
    return `WITH diff AS MATERIALIZED (
        SELECT s.*, t._at, t.valid_from AS _from, t.deleted_at IS NULL AS _was_live,
          t._at IS NOT NULL AND (t.deleted_at IS NOT NULL OR ${differs(this.#stable)}) AS _is_version, ${old.join(', ')}
        FROM ${this.source} s
        ${countMissing ? 'FULL' : 'LEFT'} JOIN (SELECT ${this.#stored('t')} FROM ${stored} t WHERE ${this.candidates('t')}) t
          ON ${this.same('s', 't')}
        WHERE CASE WHEN s._seq IS NULL THEN t.deleted_at IS NULL
          ELSE t._at IS NULL OR t.deleted_at IS NOT NULL OR ${differs(this.#values)} END
      ), changed AS (
        UPDATE ${this.target} t SET ${this.#values.map((name) => `${quoted(name)} = d.${quoted(name)}`).join(', ')},
          ${this.#kept.map((name) => `${quoted(name)} = CASE WHEN d._was_live THEN t.${quoted(name)} END, `).join('')}
          valid_from = CASE WHEN d._is_version THEN @at ELSE t.valid_from END, deleted_at = NULL
        FROM diff d WHERE d._seq IS NOT NULL AND t.ctid = d._at AND ${this.candidates('t')}
        RETURNING 1
      ), kept AS (
        INSERT INTO ${historyOf(this.#schema, this.table)} (${columnList(versions)}, valid_from, valid_to)
        SELECT ${columnList(
          versions.map((name) => `_old_${name}`),
          'd',
        )}, ${beginOf('d._from')}, @at
        FROM diff d WHERE d._seq IS NOT NULL AND d._is_version AND d._was_live AND ${isOfOtherRun('d._from')}
        ${replaces ? replacingVersion(this.table) : ''} RETURNING 1
      ), added AS (
        ${this.#insert('diff d WHERE d._at IS NULL')} RETURNING 1
      )
      SELECT ${streamOf('d')}, count(*) FILTER (WHERE d._at IS NULL), count(*) FILTER (WHERE d._is_version),
        count(*) FILTER (WHERE d._at IS NOT NULL), count(*) FILTER (WHERE d._is_version AND d._was_live AND ${isOfOtherRun('d._from')}),
        (SELECT count(*) FROM added), (SELECT count(*) FROM changed), (SELECT count(*) FROM kept)
      FROM diff d GROUP BY 1`
  }

  /**
   * Staged rows that differ from the stored ones: their stream (`_stream`), the columns that differ (`_columns`; null where the
   * row is not stored, or is marked deleted), and their keys. With `onlyMissing`, only rows that are not stored.
   */
  unlike(onlyMissing: boolean): string {
    const differs = `(${columnList(this.#stable, 't')}) IS DISTINCT FROM (${columnList(this.#stable, 's')})`
    const columns = this.#stable.map(
      (name) => `CASE WHEN t.${quoted(name)} IS DISTINCT FROM s.${quoted(name)} THEN '${name}' END`,
    )
    // with a wrong hash, a later run would skip the record once it equals the hash; where values differ, the hash does too
    const otherHash = this.table.hashed === true ? 't.record_hash <> s.record_hash' : 'false'
    if (this.table.hashed === true) columns.push(`CASE WHEN ${otherHash} AND NOT ${differs} THEN 'record_hash' END`)
    return `SELECT ${[`${streamOf('s')} AS _stream`, ...this.keys.map((name) => `s.${quoted(name)}`)].join(', ')},
        CASE WHEN t._at IS NOT NULL THEN array_remove(ARRAY[${columns.join(', ')}], NULL) END AS _columns
      FROM ${this.source} s
      LEFT JOIN (SELECT ${this.#stored('t')} FROM ${this.target} t WHERE ${this.candidates('t')} AND t.deleted_at IS NULL) t
        ON ${this.same('s', 't')}
      WHERE t._at IS NULL ${onlyMissing ? '' : `OR ${differs} OR ${otherHash}`}`
  }

  /**
   * Condition: a live row of the project that was not staged; where unchanged records were not staged either
   * (`isPartial`), one whose hash was not seen.
   */
  isMissing(isStaged: boolean, isPartial = false): string {
    const staged = isStaged
      ? `AND NOT EXISTS (SELECT FROM ${this.stage} s WHERE ${this.candidates('s')} AND ${this.same('s', 't')})`
      : ''
    const unseen = isPartial ? `AND ${this.#isUnseen(`coalesce(t.record_hash, '${NO_HASH}')`)}` : ''
    return `${this.ofProject('t')} AND t.deleted_at IS NULL ${staged} ${unseen}`
  }

  /**
   * The lists, by the columns `on`, that have fewer rows now than at `@since`. In all other lists, another row has replaced each missing one.
   * @param isMissing condition of a live row `t`
   * @param within narrows the stored rows down
   */
  shorterLists(on: readonly string[], isMissing: string, isStaged: boolean, within = ''): string {
    const keys = (alias: string) => columnList(this.keys, alias)
    const lists = (rows: string) =>
      `SELECT ${[...on.map(quoted), 'count(*) AS _rows'].join(', ')} FROM (${rows}) r ${on.length === 0 ? '' : `GROUP BY ${columnList(on)}`}`
    const live = `SELECT ${keys('t')} FROM ${this.target} t WHERE ${this.ofProject('t')} AND t.deleted_at IS NULL ${within}`
    const staged = isStaged ? `UNION SELECT ${keys('s')} FROM ${this.stage} s WHERE ${this.candidates('s')}` : ''
    const then = `${live} AND ${LIVED} UNION SELECT ${keys('t')} FROM ${this.#livedBefore} ${within}`
    return `SELECT o.* FROM (${lists(then)}) o LEFT JOIN (${lists(`${live} AND NOT (${isMissing}) ${staged}`)}) n
      ON ${this.same('o', 'n', on)} WHERE coalesce(n._rows, 0) < o._rows`
  }

  /**
   * Gives staged rows the stored values of columns that were left out of them. A row that was marked deleted counts as well: its
   * values are the last known ones. `stored` is the source of the values; default: the table itself.
   */
  keepLeftOut(names: readonly string[], stored: string = this.target): string {
    const isNamed = (name: string) => `'${name}' = ANY (s.${LEFT_OUT_COLUMN})`
    const columns = this.#values.filter((name) => names.includes(name))
    const sets = columns.map((name) => {
      return `${quoted(name)} = CASE WHEN ${isNamed(name)} THEN ${this.#keptValue(name)} ELSE s.${quoted(name)} END`
    })
    if (!columns.includes(EXTRA.name) && names.some((name) => name.startsWith(OF_EXTRA))) {
      const kept = `SELECT jsonb_object_agg(e.key, e.value) FROM jsonb_each(t.extra) e
        WHERE '${OF_EXTRA}' || e.key = ANY (s.${LEFT_OUT_COLUMN})`
      sets.push(`extra = nullif(coalesce((${kept}), '{}') || coalesce(s.extra, '{}'), '{}')`)
    }
    return `UPDATE ${this.stage} s SET ${sets.join(', ')} FROM ${stored} t
      WHERE s.${LEFT_OUT_COLUMN} IS NOT NULL AND ${this.candidates('s')} AND ${this.candidates('t')} AND ${this.same('s', 't')}`
  }

  #keptValue(name: string): string {
    const flag = this.table.columns.find((column) => column.name === name)?.keptWhile
    if (flag === undefined) return `t.${quoted(name)}`
    const isKept = ['s', 't'].map((alias) => `${alias}.${quoted(flag)} IS NOT FALSE`).join(' AND ')
    return `CASE WHEN ${isKept} THEN t.${quoted(name)} END`
  }

  /** Staged records of which the stored version was read as well, so that it was not staged: they came twice. */
  stagedAndSeen(isFew: boolean): string {
    const record = (alias: string) =>
      `(SELECT to_jsonb(r)::text FROM (SELECT ${columnList([...this.keys, ...this.#stable], alias)}) r)`
    return `SELECT s._seq, t.record_hash, ${record('s')}, ${record('t')}, ${columnList(this.keys, 's')}
      FROM ${this.stage} s JOIN ${isFew ? this.storedByKeysOf(this.stage) : this.target} t ON ${this.same('s', 't')}
      WHERE ${this.candidates('s')} AND ${this.ofProject('t')} AND t.deleted_at IS NULL AND t.record_hash IS NOT NULL
        AND NOT ${this.#isUnseen('t.record_hash')}`
  }

  /**
   * Of the rows that lived at `@since` and that a scope answers for (`within`): how many there were, how many of these are to
   * be marked deleted now (`isDue`, `isDueOfAny` without regard to the scope), and how many were marked since. Rows that other
   * sessions wrote after the run began count as well. `stored` is what the rows due are looked for in; default: the table itself.
   */
  countDeletions(isDue: string, isDueOfAny: string, within: string, stored: string = this.target): string {
    // evaluated once where both conditions are the same: comparing the lengths of lists is slow
    const dueNow = isDue === isDueOfAny ? 'due t WHERE t.has_lived' : `${this.target} t WHERE ${isDue} AND ${LIVED}`
    return `WITH old AS MATERIALIZED (
        SELECT ${columnList(this.keys, 't')} FROM ${this.#livedBefore} ${within}),
      due AS MATERIALIZED (SELECT ${columnList(this.keys, 't')}, ${LIVED} AS has_lived FROM ${stored} t WHERE ${isDueOfAny})
      SELECT (SELECT count(*) FROM ${this.target} t WHERE ${this.ofProject('t')} AND t.deleted_at IS NULL AND ${LIVED} ${within})
          + (SELECT count(*) FROM old),
        (SELECT count(*) FROM ${dueNow}) + (SELECT count(*) FROM old h JOIN due t ON ${this.same('h', 't')}),
        (SELECT count(*) FROM old h JOIN ${this.target} t ON ${this.same('h', 't')}
          WHERE ${this.ofProject('t')} AND t.deleted_at IS NOT NULL)`
  }

  /** The versions that lived at `@since` and were superseded or deleted later: `FROM` and `WHERE`. */
  get #livedBefore(): string {
    return `${historyOf(this.#schema, this.table)} t WHERE ${this.ofProject('t')} AND t.valid_from < @since AND t.valid_to >= @since`
  }

  /** Marks the rows of a condition deleted. */
  markDeleted(condition: string, options: Omit<Parameters<typeof markDeleted>[3], 'within'> = {}): string {
    return markDeleted(this.#schema, this.table, condition, { within: this.ofProject('t'), ...options })
  }

  /**
   * Of a hashed table with staged rows, by one reading of the project's live rows: how many were read again unchanged, how many of these
   * are not staged for another reason, and how many are missing (`isMissing`).
   */
  countKnown(): string {
    const isKnown = 't.record_hash IS NOT NULL AND u.record_hash IS NULL'
    const keys = columnList(this.keys)
    return `SELECT count(*) FILTER (WHERE ${isKnown}), count(*) FILTER (WHERE ${isKnown} AND s._staged IS NULL),
        count(*) FILTER (WHERE u.record_hash IS NOT NULL AND s._staged IS NULL)
      FROM ${this.target} t
      LEFT JOIN (SELECT DISTINCT record_hash FROM ${this.#unseen} WHERE pid = @pid) u ON u.record_hash = coalesce(t.record_hash, '${NO_HASH}')
      LEFT JOIN (SELECT DISTINCT ${keys}, true AS _staged FROM ${this.stage} s WHERE ${this.candidates('s')}) s ON ${this.same('s', 't')}
      WHERE ${this.ofProject('t')} AND t.deleted_at IS NULL`
  }

  /** How many stored records were read again unchanged, by their hashes; with `isStaged`, those of them that are not staged for another reason. */
  countUnchanged(isStaged: boolean): string {
    const staged = isStaged
      ? `AND NOT EXISTS (SELECT FROM ${this.stage} s WHERE ${this.candidates('s')} AND ${this.same('s', 't')})`
      : ''
    return `SELECT count(*) FROM ${this.target} t WHERE ${this.isUnchanged} ${staged}`
  }

  /** Condition: a live record of the project that was read again unchanged, by its hash. */
  get isUnchanged(): string {
    return `${this.ofProject('t')} AND t.deleted_at IS NULL AND t.record_hash IS NOT NULL AND NOT ${this.#isUnseen('t.record_hash')}`
  }

  #isUnseen(hash: string): string {
    return `EXISTS (SELECT FROM ${this.#unseen} u WHERE u.pid = @pid AND u.record_hash = ${hash})`
  }

  /** Whether another project that is published at the same time may insert the same key. */
  get isShared(): boolean {
    return !this.#hasPid
  }

  /** A webhook may belong to another project that is published at the same time: the next run corrects that. */
  #insert(from: string): string {
    const columns = [...this.keys, ...this.#values]
    const [pid, value, onConflict] = this.#hasPid ? ['pid, ', 'pid, ', ''] : ['', '', 'ON CONFLICT DO NOTHING']
    const order = this.keys.length === 0 ? '' : `ORDER BY ${columnList(this.keys)}`
    return `INSERT INTO ${this.target} (${pid}${columnList(columns)}, valid_from)
        SELECT ${value}${columnList(columns)}, @at FROM ${from} ${order} ${onConflict}`
  }
}
