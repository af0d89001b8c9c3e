import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FILE_MODE } from '@collab-etl/bagit'
import type { StoredText } from '@collab-etl/documents'
import { TextFile } from '../backup/text-file.ts'
import { csvLine } from './csv-line.ts'
import { type ConvertedTask, cut, oneLine, type Row, type TaskForm } from './target.ts'

/** A task whose rows are in the store. */
interface Stored {
  readonly place: StoredText
  readonly position: number
}

/** A task group, its tasks by their position. */
interface Group {
  readonly title: string | null
  readonly position: number
  readonly tasks: Stored[]
}

/**
 * The file of the tasks of a project, in the order of the board: those in no group, then group by group, then archived ones. They arrive in the
 * order of their ids: their rows are in a store, and memory holds where each is.
 */
export class TaskFile implements Disposable {
  readonly form: TaskForm
  readonly #rows: TextFile
  readonly #groups = new Map<string | null, Group>([[null, newGroup(null, Number.NEGATIVE_INFINITY)]])
  readonly #archive = newGroup(null, Number.POSITIVE_INFINITY)
  /** Number of columns of each name that the file needs. */
  readonly #widths = new Map<string, number>()
  count = 0

  /** @param directory for temporary files */
  constructor(form: TaskForm, directory: string) {
    this.form = form
    this.#rows = new TextFile(directory)
  }

  /** Adds a task group. Groups come before tasks. */
  addGroup(id: string, title: string | null, position: number | null): void {
    this.#groups.set(id, newGroup(title ?? id, position ?? Number.MAX_VALUE))
  }

  titleOf(id: string | null): string | null {
    return id === null ? null : (this.#groups.get(id)?.title ?? id)
  }

  /** Number of groups that the file does not show: they have neither a task in it nor a line of their own. */
  get lostGroups(): number {
    const isShown = (title: string) => this.count > 0 && title.length <= (this.form.section?.maxTitle ?? -1)
    const groups = [...this.#groups.values()].filter(({ tasks }) => tasks.length === 0)
    return groups.filter(({ title }) => title !== null && !isShown(title)).length
  }

  async add(converted: ConvertedTask): Promise<void> {
    const { task } = converted
    const rows = this.form.rows(converted)
    for (const row of rows)
      for (const [column, value] of Object.entries(row))
        if (Array.isArray(value)) this.#widths.set(column, Math.max(this.#widths.get(column) ?? 1, value.length))
    if (task.groupId !== null && !this.#groups.has(task.groupId)) this.addGroup(task.groupId, null, null)
    const group = task.archived ? this.#archive : this.#groups.get(task.groupId)
    group?.tasks.push({
      place: await this.#rows.add(JSON.stringify(rows)),
      position: task.position ?? Number.POSITIVE_INFINITY,
    })
    this.count += 1
  }

  /** @param path of a file that does not exist */
  async write(path: string): Promise<void> {
    await pipeline(Readable.from(inChunks(this.#lines())), createWriteStream(path, { flags: 'wx', mode: FILE_MODE }))
  }

  [Symbol.dispose](): void {
    this.#rows[Symbol.dispose]()
  }

  async *#lines(): AsyncGenerator<string, void, undefined> {
    const { columns, section } = this.form
    const wide = columns?.flatMap((column) => Array<string>(this.#widths.get(column) ?? 1).fill(column))
    if (wide) yield csvLine(wide)
    const line = (row: Row) => (columns ? csvLine(this.#cells(columns, row)) : `${JSON.stringify(row)}\n`)
    for (const { title, tasks } of [...[...this.#groups.values()].sort(byPosition), this.#archive]) {
      if (title !== null && section) yield line(section.row(cut(oneLine(title) || 'Untitled', section.maxTitle)))
      tasks.sort(byPosition)
      for (const { place } of tasks)
        for (const row of JSON.parse(await this.#rows.read(place)) as readonly Row[]) yield line(row) // as `add` wrote it
    }
  }

  #cells(columns: readonly string[], row: Row): (string | null)[] {
    return columns.flatMap((column) => {
      const value = row[column]
      const cells = (Array.isArray(value) ? value : [value]).map((cell) => (typeof cell === 'string' ? cell : null))
      return [...cells, ...Array<null>(Math.max(0, (this.#widths.get(column) ?? 1) - cells.length)).fill(null)]
    })
  }
}

function newGroup(title: string | null, position: number): Group {
  return { title, position, tasks: [] }
}

function byPosition(a: Pick<Stored, 'position'>, b: Pick<Stored, 'position'>): number {
  return a.position < b.position ? -1 : Number(a.position > b.position) // infinite ones have no difference
}

const CHUNK = 64 * 1024

/** Texts put together, as a stream takes as long for a short one as for a long one. */
async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let chunk = ''
  for await (const text of texts) {
    chunk += text
    if (chunk.length < CHUNK) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}
