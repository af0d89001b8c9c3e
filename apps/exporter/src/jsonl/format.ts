import { Rebuilder, TEAMS_FILE, USERS_FILE } from '@collab-etl/backups/read'
import { wholeRecord } from '@collab-etl/contract/source'
import type {
  FileSink,
  FileStream,
  Format,
  ProjectHead,
  ProjectOutput,
  ProjectWriter,
  Row,
} from '@collab-etl/documents'
import { TABLES } from '@collab-etl/warehouse'
import { JSONL_FOLDER, RECORD_TABLES, type RecordFile, type RecordTable } from './resources.ts'

/** Every table: records are rebuilt from all of their rows. */
export const JSONL_TABLES: ReadonlySet<string> = new Set(TABLES.map(({ name }) => name))

/** The JSON lines of a project, in the backup manifest. */
export interface ProjectRecords {
  /** Relative to `data/`. */
  readonly folder: string
  readonly counts: Readonly<Partial<Record<RecordFile, number>>>
}

interface OpenFile {
  readonly stream: FileStream
  count: number
}

/**
 * Writes every record as the service sent it, as JSON lines, one file per kind and project, and one of teams and one of users. A file
 * without records is empty; those of records that a service need not offer are only there if it has any.
 */
export class JsonlFormat implements Format {
  readonly #nameOf: (pid: string) => string
  readonly #users: ReadonlyMap<string, Row>
  readonly #teams: (() => AsyncIterable<Row>) | null
  readonly #recordTables: readonly RecordTable[]

  /**
   * @param nameOf gives the name of a project's folder
   * @param users rows of `users` by `uid`
   * @param of.tables the tables whose records have files
   * @param of.teams gives the rows of `teams`
   */
  constructor(
    nameOf: (pid: string) => string,
    users: ReadonlyMap<string, Row>,
    { tables, teams }: { readonly tables: ReadonlySet<string>; readonly teams: () => AsyncIterable<Row> },
  ) {
    this.#nameOf = nameOf
    this.#users = users
    this.#teams = tables.has('teams') ? teams : null
    this.#recordTables = RECORD_TABLES.filter(({ table }) => tables.has(table))
  }

  async open(head: ProjectHead, { files }: ProjectOutput): Promise<ProjectWriter> {
    const folder = `${JSONL_FOLDER}/${this.#nameOf(head.pid)}`
    const open = new Map<RecordFile, OpenFile>()
    const openFile = async (file: RecordFile) => {
      const opened = { stream: await files.stream(`${folder}/${file}.jsonl`), count: 0 }
      open.set(file, opened)
      return opened
    }
    const always = this.#recordTables.filter(({ isOptional }) => isOptional !== true).flatMap(({ files }) => files)
    for (const file of ['project' as const, ...always]) await openFile(file)
    const write = async (file: RecordFile, record: Record<string, unknown>) => {
      const opened = open.get(file) ?? (await openFile(file))
      opened.count += 1
      await opened.stream.write(`${JSON.stringify(record)}\n`)
    }
    const rebuilder = new Rebuilder(head.row, this.#users)
    if (head.row) {
      const lists = new Map([['project_labels', head.labels]])
      await write('project', rebuilder.record('project', { row: head.row, lists }))
    }
    return {
      write: async (record) => {
        if (record.table === 'entries') rebuilder.addEntry(record.row)
        const place = this.#recordTables.find(({ table }) => table === record.table)?.place(record.row)
        if (place) await write(place.name, rebuilder.line(place, await wholeRecord(record)))
      },
      end: async () => {
        const counts: Partial<Record<RecordFile, number>> = {}
        for (const [file, { stream, count }] of open) {
          await stream.end()
          counts[file] = count
        }
        const jsonl: ProjectRecords = { folder, counts }
        return { entry: { jsonl }, note: null, links: [] }
      },
    }
  }

  async reuse(): Promise<null> {
    return null
  }

  async end(files: FileSink): Promise<void> {
    if (this.#teams !== null) await this.#writeAll(files, TEAMS_FILE, 'team', this.#teams())
    await this.#writeAll(files, USERS_FILE, 'user', this.#users.values())
  }

  /** Writes a file of no project, if it has any record. */
  async #writeAll(
    files: FileSink,
    name: string,
    kind: 'team' | 'user',
    rows: AsyncIterable<Row> | Iterable<Row>,
  ): Promise<void> {
    const rebuilder = new Rebuilder(null, this.#users)
    let stream: FileStream | null = null
    for await (const row of rows) {
      stream ??= await files.stream(`${JSONL_FOLDER}/${name}.jsonl`)
      await stream.write(`${JSON.stringify(rebuilder.record(kind, { row, lists: new Map() }))}\n`)
    }
    await stream?.end()
  }
}
