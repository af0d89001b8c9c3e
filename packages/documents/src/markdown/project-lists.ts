import type { SourceRecord } from '@collab-etl/contract/source'
import type { ListedKind, ProjectOutput } from '../format.ts'
import type { LinkRewriter } from '../link-rewriter.ts'
import type { Naming } from '../names/naming.ts'
import { plainName } from '../names/plain-name.ts'
import { MARKDOWN_FOLDER, type ProjectPlaces, type TaskFileMode } from '../path-index.ts'
import type { People } from '../people.ts'
import { keyOf, textOf } from '../row.ts'
import type { ListedIssue } from '../tree/head.ts'
import { commentsOf } from '../views/comments.ts'
import { eventView } from '../views/event.ts'
import { fileView } from '../views/file.ts'
import type { FileReferences } from '../views/file-references.ts'
import { byName, type MemberView, memberView } from '../views/member.ts'
import { StoredEvents } from '../views/stored-events.ts'
import { type TaskView, taskView } from '../views/task.ts'
import { writeEventFiles } from './event-files.ts'
import { eventSection } from './event-section.ts'
import { FileList } from './file-list.ts'
import { fileSection } from './file-section.ts'
import { fileLink } from './links.ts'
import type { ListedKinds } from './project-index.ts'
import { tagsOf } from './tags.ts'
import { TASK_FOLDER, TaskFiles } from './task-files.ts'
import { taskNote } from './task-note.ts'
import { type TaskTexts, titleText } from './task-section.ts'
import { Texts } from './texts.ts'
import { type TitleHeading, titleHeading } from './title-heading.ts'

/** What the lists of a project are made with. */
interface ListParts {
  readonly pid: string
  readonly places: ProjectPlaces
  readonly naming: Naming
  readonly people: People
  readonly output: ProjectOutput
  readonly references: FileReferences
  readonly links: LinkRewriter
  readonly taskFiles: TaskFileMode
  readonly titleHeading: TitleHeading
  readonly texts: Texts
}

/** The tasks, events and files of a project as Markdown. Their texts are in a store until all are known, and their order. */
export class ProjectLists {
  readonly #parts: ListParts
  readonly #tasks: TaskFiles
  readonly #events: StoredEvents
  readonly #files: FileList
  readonly #members: MemberView[] = []

  constructor(parts: ListParts) {
    const { pid, naming, output } = parts
    this.#parts = parts
    this.#tasks = new TaskFiles(output.texts, naming)
    this.#events = new StoredEvents(output.texts, pid)
    this.#files = new FileList(output.texts)
  }

  /** Adds a record of any table; those of other tables are ignored. */
  async add(record: SourceRecord): Promise<void> {
    const { row } = record
    if (record.table === 'entries') {
      // without the list of groups, they have no times
      this.#tasks.addGroup(keyOf(row, 'entry_id'), textOf(row, 'name'), textOf(row, 'created_at') !== null)
    } else if (record.table === 'project_members') this.#members.push(memberView(row, this.#parts.people))
    else if (record.table === 'tasks') await this.#addTask(record)
    else if (record.table === 'events') await this.#addEvent(record)
    else if (record.table === 'files') await this.#addFile(record)
  }

  /** Writes the files of some kinds. */
  async write(kinds: ReadonlySet<ListedKind>): Promise<ListedKinds> {
    return {
      ...(kinds.has('tasks') && { tasks: await this.#writeTasks(), emptyGroups: this.#tasks.emptyGroups() }),
      ...(kinds.has('events') && { events: await this.#writeEvents() }),
      ...(kinds.has('files') && { files: await this.#writeFiles() }),
      members: this.#members.sort(byName),
    }
  }

  async #addTask(record: SourceRecord): Promise<void> {
    const { people, places, texts, taskFiles } = this.#parts
    const task = taskView(record, people)
    if (taskFiles === 'one') await this.#addNote(record, task)
    // Links are the same from every file of the folder.
    else await this.#tasks.add(task, await textsOf(task, texts, `${places.folder}/${TASK_FOLDER}/any.md`))
  }

  /** Adds the file of a task, and a line for it in the list of its group. */
  async #addNote(record: SourceRecord, task: TaskView): Promise<void> {
    const { pid, places, output, links, naming } = this.#parts
    const own = places.tasks.pathOf(task.id)
    const path = `${places.folder}/${own}`
    const group = this.#tasks.groupOf(task)
    await output.records.add({ record, path, around: group }, async () => {
      const issues: ListedIssue[] = []
      const texts = new Texts(links, pid, (issue) => issues.push(issue))
      const rewritten = await textsOf(task, texts, path)
      const { title } = task
      const ofNote = {
        pid,
        group,
        ...(naming === 'plain' && {
          tags: tagsOf(
            'task',
            task.labels.map(({ name }) => name),
          ),
        }),
        ...(naming === 'plain' && title?.trim() && plainName(title) !== title && { aliases: [title] }),
        heading: this.#parts.titleHeading === 'auto' ? titleHeading(title, rewritten.description) : '',
      }
      return { text: taskNote(task, rewritten, ofNote), links: [...texts.links], issues }
    })
    const folder = places.folder.slice(`${MARKDOWN_FOLDER}/`.length)
    const link = fileLink(titleText(task.title), `${folder}/${TASK_FOLDER}/any.md`, `${folder}/${own}`, links.style)
    await this.#tasks.addLine(task, link)
  }

  async #addEvent(record: SourceRecord): Promise<void> {
    const { pid, people, places, output, texts } = this.#parts
    const event = eventView(record, people)
    const recordKey = `${event.id} ${event.startsAt}`
    const text = { text: event.summary ?? '', stream: 'events', recordKey, field: 'summary' } as const
    const summary = await texts.rewrite(text, `${places.folder}/events.md`)
    if (await this.#events.add(event, eventSection(event, summary))) return
    const original = JSON.stringify(event.startsAt)
    output.report({ pid, stream: 'events', record_key: recordKey, field: 'start', kind: 'not_in_icalendar', original })
  }

  async #addFile(record: SourceRecord): Promise<void> {
    const { people, places, texts } = this.#parts
    const file = fileView(record, people)
    const path = `${places.folder}/files.md`
    const ofFile = { stream: 'files', recordKey: file.id } as const
    const description = await texts.rewrite({ ...ofFile, text: file.description ?? '', field: 'description' }, path)
    const comments = await texts.rewriteComments(commentsOf(record, people, 'file_comments'), ofFile, path)
    await this.#files.add(file, fileSection(file, description, comments))
  }

  async #writeTasks(): Promise<NonNullable<ListedKinds['tasks']>> {
    const { pid, places, output } = this.#parts
    const listed = []
    for (const { pieces, ...file } of this.#tasks.files(pid)) {
      const stream = await output.files.stream(`${places.folder}/${TASK_FOLDER}/${file.name}.md`)
      for await (const piece of pieces()) await stream.write(piece)
      await stream.end()
      listed.push(file)
    }
    return listed
  }

  async #writeEvents(): Promise<number> {
    const { pid, places, output } = this.#parts
    if (this.#events.count > 0) await writeEventFiles(this.#events, { files: output.files, folder: places.folder, pid })
    return this.#events.count
  }

  async #writeFiles(): Promise<number> {
    const { pid, places, references, links, output } = this.#parts
    const { style } = links
    if (this.#files.count > 0) await this.#files.write(output.files, { pid, places, references, style })
    return this.#files.count
  }
}

/** The texts of a task with their links rewritten for the file `path`. */
async function textsOf(task: TaskView, texts: Texts, path: string): Promise<TaskTexts> {
  const ofTask = { stream: 'tasks', recordKey: task.id } as const
  const description = await texts.rewrite({ ...ofTask, text: task.description, field: 'description' }, path)
  return { description, comments: await texts.rewriteComments(task.comments, ofTask, path) }
}
