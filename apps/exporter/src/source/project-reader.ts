import { itemsOf, Peeked } from '@collab-etl/backups/read'
import { keyOf, type ProjectHead, type ProjectRecord, type Row } from '@collab-etl/documents'
import { commentsOf, listsOf, type TableName, tableByName } from '@collab-etl/warehouse/records'
import { RECORD_TABLES } from '../jsonl/resources.ts'
import type { BackupSource } from './backup-source.ts'

type Lists = ReadonlyMap<TableName, readonly Row[]>

/** Reads the records of projects, each once, with those of their lists that are needed. */
export class ProjectReader {
  readonly #source: BackupSource
  readonly #tables: ReadonlySet<string>

  /** `tables`: those to read. */
  constructor(source: BackupSource, tables: ReadonlySet<string>) {
    this.#source = source
    this.#tables = tables
  }

  /** Users by `uid`, with `columns` only if given. */
  async users(columns?: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const users = new Map<string, Row>()
    if (!this.#tables.has('users')) return users
    for await (const row of this.#source.rows('users', columns && { columns })) users.set(keyOf(row, 'uid'), row)
    return users
  }

  /** `hasRow`: whether there is a row of the project itself. */
  async head(pid: string, hasRow: boolean): Promise<ProjectHead> {
    const [row = null] = hasRow ? await collect(this.#source.rows('projects', { pid })) : []
    const labels = this.#tables.has('project_labels') ? await collect(this.#source.rows('project_labels', { pid })) : []
    return { pid, row, labels }
  }

  /** Its records, table by table, each in the order of its key. */
  async *records(pid: string): AsyncGenerator<ProjectRecord, void, undefined> {
    if (this.#tables.has('entries')) {
      for await (const row of this.#source.rows('entries', { pid })) yield { table: 'entries', row, lists: new Map() }
    }
    const files = new CommentFiles(this.#source, pid)
    for (const { table } of RECORD_TABLES) if (this.#tables.has(table)) yield* this.#recordsOf(table, pid, files)
  }

  /** The records of one table in the order of its key. */
  async *#recordsOf(
    table: TableName,
    pid: string,
    files: CommentFiles,
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    const comments = commentsOf(table)
    const lists = listsOf(tableByName(table))
      .filter(({ name }) => this.#tables.has(name))
      .map(({ name, parent }) => ({ name, on: parent?.on ?? [], rows: new Peeked(this.#source.rows(name, { pid })) }))
    try {
      for await (const row of this.#source.rows(table, { pid })) {
        const own = new Map<TableName, readonly Row[]>()
        for (const { name, on, rows } of lists) own.set(name, await itemsOf(row, rows, on))
        yield { table, row, lists: comments === undefined ? own : await files.withFiles(own, comments) }
      }
    } finally {
      for (const { rows } of lists) await rows[Symbol.asyncDispose]()
    }
  }
}

/** The parents of comments: the word in `comment_files.parent_kind`, and the column of comments that names them. */
const PARENTS: Partial<Record<TableName, readonly [kind: string, column: string]>> = {
  post_comments: ['post', 'post_id'],
  file_comments: ['file', 'fid'],
}

/** The files of all comments of a project, read when the first comment is met. They are few. */
class CommentFiles {
  readonly #source: BackupSource
  readonly #pid: string
  #byParent: Promise<ReadonlyMap<string, readonly Row[]>> | null = null

  constructor(source: BackupSource, pid: string) {
    this.#source = source
    this.#pid = pid
  }

  async withFiles(lists: Lists, comments: TableName): Promise<Lists> {
    const [first] = lists.get(comments) ?? []
    const parent = PARENTS[comments]
    if (first === undefined || parent === undefined) return lists
    const [kind, column] = parent
    this.#byParent ??= collect(this.#source.rows('comment_files', { pid: this.#pid })).then((rows) =>
      Map.groupBy(rows, (row) => JSON.stringify([row['parent_kind'], keyOf(row, 'parent_id')])),
    )
    const files = (await this.#byParent).get(JSON.stringify([kind, keyOf(first, column)])) ?? []
    return new Map([...lists, ['comment_files', files]])
  }
}

async function collect(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}
