import type { ListedKind, ProjectOutput, ProjectRecord, TextStore } from '../format.ts'
import type { Naming } from '../names/naming.ts'
import type { People } from '../people.ts'
import { keyOf, textOf } from '../row.ts'
import { eventView } from '../views/event.ts'
import { taskView } from '../views/task.ts'
import { EventFiles } from './event-files.ts'
import type { ListedKinds } from './project-index.ts'
import type { RecordText } from './record-text.ts'
import { TASK_FOLDER, TaskFiles } from './task-files.ts'

/** What the lists of a project are made with. */
interface ListParts {
  readonly pid: string
  /** Relative to `data/`. */
  readonly folder: string
  readonly naming: Naming
  readonly people: People
  readonly output: ProjectOutput
  /** Rewrites the links of a text that is in the file `path`, relative to `data/`. */
  readonly rewrite: (text: RecordText, path: string) => Promise<string>
}

interface WrittenLists {
  readonly listed: ListedKinds
  readonly files: Readonly<Record<ListedKind, number>>
}

/** The tasks, events and files of a project as Markdown. Their texts are in a store until all are known, and their order. */
export class ProjectLists implements AsyncDisposable {
  readonly #parts: ListParts
  #texts: TextStore | null = null
  #tasks: TaskFiles | null = null
  #events: EventFiles | null = null

  constructor(parts: ListParts) {
    this.#parts = parts
  }

  /** Adds a record of any table; those of other tables are ignored. */
  async add(record: ProjectRecord): Promise<void> {
    const { row } = record
    if (record.table === 'entries') (await this.#openTasks()).addGroup(keyOf(row, 'entry_id'), textOf(row, 'name'))
    else if (record.table === 'tasks') await this.#addTask(record)
    else if (record.table === 'events') await this.#addEvent(record)
  }

  /** Writes the files of some kinds, or adds those of the previous backup. */
  async write(kinds: ReadonlySet<ListedKind>): Promise<WrittenLists> {
    const { addReused } = this.#parts.output
    const listed: { -readonly [kind in keyof ListedKinds]: ListedKinds[kind] } = {}
    const files = { tasks: 0, events: 0, files: 0 }
    if (kinds.has('tasks')) {
      const before = (await addReused('tasks')) as ListedKinds | undefined // a note of this format
      listed.tasks = before?.tasks ?? (await this.#writeTasks())
      files.tasks = listed.tasks.length
    }
    if (kinds.has('events')) {
      const before = (await addReused('events')) as ListedKinds | undefined
      listed.events = before?.events ?? (await this.#writeEvents())
      files.events = listed.events > 0 ? 2 : 0
    }
    return { listed, files }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#texts?.[Symbol.asyncDispose]()
  }

  async #addTask(record: ProjectRecord): Promise<void> {
    const { people, folder, rewrite } = this.#parts
    const task = taskView(record, people)
    const text = { text: task.description, stream: 'tasks', recordKey: task.id, field: 'description' } as const
    // Links are the same from every file of the folder.
    const description = await rewrite(text, `${folder}/${TASK_FOLDER}/any.md`)
    await (await this.#openTasks()).add(task, description)
  }

  async #addEvent(record: ProjectRecord): Promise<void> {
    const { pid, people, folder, output, rewrite } = this.#parts
    const event = eventView(record, people)
    const recordKey = `${event.id} ${event.startsAt}`
    const text = { text: event.summary ?? '', stream: 'events', recordKey, field: 'summary' } as const
    const summary = await rewrite(text, `${folder}/events.md`)
    this.#events ??= new EventFiles(await this.#openTexts(), pid)
    if (await this.#events.add(event, summary)) return
    const original = JSON.stringify(event.startsAt)
    output.report({ pid, stream: 'events', record_key: recordKey, field: 'start', kind: 'not_in_icalendar', original })
  }

  async #writeTasks(): Promise<NonNullable<ListedKinds['tasks']>> {
    const { pid, folder, output } = this.#parts
    const listed = []
    for (const { pieces, ...file } of this.#tasks?.files(pid) ?? []) {
      const stream = await output.files.stream(`${folder}/${TASK_FOLDER}/${file.name}.md`)
      for await (const piece of pieces()) await stream.write(piece)
      await stream.end()
      listed.push(file)
    }
    return listed
  }

  async #writeEvents(): Promise<number> {
    await this.#events?.write(this.#parts.output.files, this.#parts.folder)
    return this.#events?.count ?? 0
  }

  async #openTasks(): Promise<TaskFiles> {
    this.#tasks ??= new TaskFiles(await this.#openTexts(), this.#parts.naming)
    return this.#tasks
  }

  async #openTexts(): Promise<TextStore> {
    this.#texts ??= await this.#parts.output.openTexts()
    return this.#texts
  }
}
