import { columnList, quoted, type SchemaNames } from '../names.ts'
import type { Lane } from '../staging/lane.ts'
import { SEQ_BITS } from '../staging/seq.ts'
import { isOfProject, stagedColumns } from '../staging/shape.ts'
import type { Table } from '../tables/table.ts'

/** The stream of a staged row. */
export const streamOf = (alias: string): string => `(${alias}._seq >> ${SEQ_BITS})`

/**
 * The statements of publishing one table, made from its definition. `t` is a stored row, `s` a staged one. Every join is by
 * equality on all columns of a key, so that it can be hashed whatever the statistics say.
 */
export class TableSql {
  readonly table: Table
  /** The resource table, and the staging table of the lane. */
  readonly target: string
  readonly stage: string
  /** Columns by which a staged and a stored row are the same; the project's id goes without saying. */
  readonly keys: readonly string[]
  readonly #values: readonly string[]
  readonly #hasPid: boolean

  constructor(table: Table, schema: SchemaNames, lane: Lane) {
    this.table = table
    this.target = `${schema.main}.${quoted(table.name)}`
    this.stage = lane.table(table.name)
    this.#hasPid = isOfProject(table)
    this.keys = table.key.filter((name) => name !== 'pid')
    this.#values = stagedColumns(table)
      .map((column) => column.name)
      .filter((name) => !table.key.includes(name))
  }

  /** Stored rows of the project; personal webhooks are those of none. */
  ofProject(alias: string): string {
    return this.#hasPid ? `${alias}.pid = @pid` : `${alias}.pid IS NOT DISTINCT FROM @pid`
  }

  /** Stored rows that a staged one may be: a webhook is known by its id alone, it may have been another project's. */
  #candidates(alias: string): string {
    return this.#hasPid ? `${alias}.pid = @pid` : 'true'
  }

  same(a: string, b: string, columns: readonly string[] = this.keys): string {
    if (columns.length === 0) return 'true'
    return columns.map((name) => `${a}.${quoted(name)} = ${b}.${quoted(name)}`).join(' AND ')
  }

  /**
   * Staged rows, each key once: of several the one that says most; of those the last of the first stream, as what the task
   * list says of a task group is fresher than what archived tasks say.
   */
  get source(): string {
    if (this.table.shared !== true) return this.stage
    const keys = columnList(this.keys)
    const order = `${keys}, num_nonnulls(${columnList(this.#values, 's')}) DESC, ${streamOf('s')}, s._seq DESC`
    return `(SELECT DISTINCT ON (${keys}) * FROM ${this.stage} s ORDER BY ${order})`
  }

  /** Staged rows by stream, each key once. */
  countByStream(): string {
    return `SELECT ${streamOf('s')}, count(*) FROM ${this.source} s GROUP BY 1`
  }

  /** For when nothing of the project is stored yet. In the order of the key the index grows at its end, a third faster. */
  insertAll(): string {
    return `INSERT INTO ${this.target} (${this.#inserted()})
      SELECT ${this.#selected('s')} FROM ${this.source} s ${this.#inOrder('s')}`
  }

  /**
   * Writes what differs and nothing else, and tells per stream how many rows were inserted and updated. With `countMissing`
   * a line without stream comes when live rows are stored that were not staged.
   */
  merge(countMissing: boolean): string {
    const values = this.#values
    const sets = values.map((name) => `${quoted(name)} = d.${quoted(name)}`)
    return `WITH diff AS MATERIALIZED (
        SELECT s.*, t._at
        FROM ${this.source} s
        ${countMissing ? 'FULL' : 'LEFT'} JOIN (SELECT t.ctid AS _at, t.* FROM ${this.target} t WHERE ${this.#candidates('t')}) t
          ON ${this.same('s', 't')}
        WHERE CASE WHEN s._seq IS NULL THEN t.deleted_at IS NULL
          ELSE t._at IS NULL OR t.deleted_at IS NOT NULL
            OR (${columnList(values, 't')}) IS DISTINCT FROM (${columnList(values, 's')}) END
      ), changed AS (
        UPDATE ${this.target} t SET ${sets.join(', ')}, valid_from = @at, deleted_at = NULL
        FROM diff d WHERE d._seq IS NOT NULL AND t.ctid = d._at AND ${this.#candidates('t')}
      ), added AS (
        INSERT INTO ${this.target} (${this.#inserted()}) SELECT ${this.#selected('d')} FROM diff d WHERE d._at IS NULL
        ${this.#inOrder('d')} ${this.#hasPid ? '' : 'ON CONFLICT DO NOTHING'}
      )
      SELECT ${streamOf('d')}, count(*) FILTER (WHERE d._at IS NULL), count(*) FILTER (WHERE d._at IS NOT NULL)
      FROM diff d GROUP BY 1`
  }

  /** Condition: a live row of the project that was not staged. */
  isMissing(isStaged: boolean): string {
    const staged = isStaged ? `AND NOT EXISTS (SELECT FROM ${this.stage} s WHERE ${this.same('s', 't')})` : ''
    return `${this.ofProject('t')} AND t.deleted_at IS NULL ${staged}`
  }

  /** Marks the rows of a condition deleted. */
  markDeleted(condition: string): string {
    return `UPDATE ${this.target} t SET deleted_at = @at WHERE ${condition}`
  }

  #inOrder(alias: string): string {
    return this.keys.length === 0 ? '' : `ORDER BY ${columnList(this.keys, alias)}`
  }

  #inserted(): string {
    return `${columnList([...(this.#hasPid ? ['pid'] : []), ...this.keys, ...this.#values])}, valid_from`
  }

  #selected(alias: string): string {
    return `${this.#hasPid ? '@pid, ' : ''}${columnList([...this.keys, ...this.#values], alias)}, @at`
  }
}
