import { itemsOf, Peeked } from '@collab-etl/backups/read'
import { keyOf, type ProjectHead, type ProjectRecord, type Row } from '@collab-etl/documents'
import { commentsOf, listsOf, type TableName, tableByName } from '@collab-etl/warehouse/records'
import { RECORD_TABLES } from '../jsonl/resources.ts'
import type { BackupRows, SourceRow, SourceTable } from './backup-rows.ts'
import { hasTexts, TextsApart } from './texts-apart.ts'

type Lists = ReadonlyMap<TableName, readonly Row[]>

/** Reads those tables of a source that a backup is made of: rows, and the records of projects, each once, with their lists. */
export class ProjectReader {
  readonly #source: BackupRows
  readonly #tables: ReadonlySet<string>

  /** @param tables tables to read; `rows` yields nothing for any other */
  constructor(source: BackupRows, tables: ReadonlySet<string>) {
    this.#source = source
    this.#tables = tables
  }

  /** As `BackupRows.rows`. */
  async *rows(
    table: SourceTable,
    options?: Parameters<BackupRows['rows']>[1],
  ): AsyncGenerator<SourceRow, void, undefined> {
    if (this.#tables.has(table)) yield* this.#source.rows(table, options)
  }

  /** Users by `uid`, with `columns` only if given. */
  async users(columns?: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const users = new Map<string, Row>()
    for await (const row of this.rows('users', columns && { columns })) users.set(keyOf(row, 'uid'), row)
    return users
  }

  /** `hasRow`: whether there is a row of the project itself. */
  async head(pid: string, hasRow: boolean): Promise<ProjectHead> {
    const [row = null] = hasRow ? await collect(this.#source.rows('projects', { pid })) : []
    return { pid, row, labels: await collect(this.rows('project_labels', { pid })) }
  }

  /**
   * Its records, table by table, each in the order of its key.
   * @param of.areTextsApart whether the texts of pages and posts are only read when they are asked for; needs a source with versions
   */
  async *records(
    pid: string,
    { areTextsApart }: { readonly areTextsApart: boolean },
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    const files = new CommentFiles(this.#source, pid)
    for (const { table } of RECORD_TABLES) {
      if (this.#tables.has(table)) yield* this.#recordsOf(table, pid, files, areTextsApart)
    }
  }

  /** The records of one table in the order of its key. */
  async *#recordsOf(
    table: TableName,
    pid: string,
    files: CommentFiles,
    areTextsApart: boolean,
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    const comments = commentsOf(table)
    const lists = listsOf(tableByName(table))
      .filter(({ name }) => this.#tables.has(name))
      .map(({ name, parent }) => ({ name, on: parent?.on ?? [], rows: new Peeked(this.#source.rows(name, { pid })) }))
    await using texts = areTextsApart && hasTexts(table) ? new TextsApart(this.#source, table, pid) : null
    const versioned = this.#source.versions !== undefined && hasTexts(table)
    try {
      for await (const row of texts?.rows() ?? this.#source.rows(table, { pid, versioned })) {
        const own = new Map<TableName, readonly Row[]>()
        for (const { name, on, rows } of lists) own.set(name, await itemsOf(row, rows, on))
        const record = { table, row, lists: comments === undefined ? own : await files.withFiles(own, comments) }
        yield texts ? { ...record, whole: once(async () => ({ ...record, row: await texts.whole() })) } : record
      }
    } finally {
      for (const { rows } of lists) await rows[Symbol.asyncDispose]()
    }
  }
}

/** A function that calls another one once. */
function once<T>(call: () => Promise<T>): () => Promise<T> {
  let called: Promise<T> | null = null
  return () => (called ??= call())
}

/** The files of all comments of a project, read when the first comment is met. They are few. */
class CommentFiles {
  readonly #source: BackupRows
  readonly #pid: string
  #byParent: Promise<ReadonlyMap<string, readonly Row[]>> | null = null

  constructor(source: BackupRows, pid: string) {
    this.#source = source
    this.#pid = pid
  }

  async withFiles(lists: Lists, comments: TableName): Promise<Lists> {
    const [first] = lists.get(comments) ?? []
    const parent = tableByName('comment_files').parent?.as?.[comments]
    if (first === undefined || parent === undefined) return lists
    this.#byParent ??= collect(this.#source.rows('comment_files', { pid: this.#pid })).then((rows) =>
      Map.groupBy(rows, (row) => JSON.stringify([row['parent_kind'], row['parent_id']])),
    )
    const key = [parent.fixed['parent_kind'], first[parent.columns['parent_id'] ?? '']]
    const files = (await this.#byParent).get(JSON.stringify(key)) ?? []
    return new Map([...lists, ['comment_files', files]])
  }
}

async function collect(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}
