import type { SourceRecord } from '@collab-etl/contract/source'
import type { TextStore } from '../../format.ts'
import type { Person } from '../../people.ts'
import { keyOf, textOf } from '../../row.ts'
import { type TaskView, taskView } from '../../views/task.ts'
import type { TaskRow } from '../list-rows.ts'
import type { PageLink } from '../pages/layout.ts'
import { searchedIn } from '../pages/record-page.ts'
import { taskPage } from '../pages/task-page.ts'
import { titleOf } from '../pages/words.ts'
import { taskFileName } from '../record-places.ts'
import { type SearchField, searchedText } from '../search/fields.ts'
import type { Section } from '../section.ts'
import { groupTitle, type TaskGroup, TaskGroups } from '../task-groups.ts'
import { ListShards } from './list-shards.ts'
import { writeTaskLists } from './task-lists.ts'
import { taskRow } from './task-row.ts'
import { TaskRows } from './task-rows.ts'

/** Writes a project's tasks: a page each as they come; then the board and the lists. */
export class TaskSection {
  readonly #section: Section
  readonly #groups = new TaskGroups()
  readonly #rows: TaskRows
  readonly #current: ListShards
  readonly #archived: ListShards
  #archivedCount = 0

  constructor(section: Section, store: TextStore) {
    this.#section = section
    this.#rows = new TaskRows(store, this.#groups)
    const folder = section.map.pathOf('tasks')
    this.#current = new ListShards(section.files, { folder, prefix: 'data' }, this.#groups)
    this.#archived = new ListShards(section.files, { folder, prefix: 'archived' }, this.#groups)
  }

  /** The number of tasks so far, on the board and in the archive. */
  get counts(): { readonly tasks: number; readonly archived: number } {
    return { tasks: this.#rows.length - this.#archivedCount, archived: this.#archivedCount }
  }

  /** Groups come before tasks. */
  addGroup({ row }: SourceRecord): void {
    this.#groups.add(keyOf(row, 'entry_id'), textOf(row, 'name'))
  }

  async add(record: SourceRecord): Promise<void> {
    const { tools, pid } = this.#section
    const task = taskView(record, tools.people)
    const file = taskFileName(task.title, task.id)
    const row = taskRow(task, file)
    const group = this.#groups.of(row.group)
    await this.#rows.add(row)
    await (task.archived ? this.#archived : this.#current).add(row)
    const [address, kind] = [`tasks/${encodeURIComponent(file)}`, kindOf(task)]
    const searched = await this.#writePage(record, { task, row, group, address })
    this.#addToOverview(task, address)
    const date = kind === 'open' ? task.dueAt : task.updatedAt
    await this.#section.people?.add(task.members, { kind, title: task.title, address, date })
    await this.#section.shards.add({
      kind: 'task',
      id: `${pid} ${task.id}`,
      title: titleOf(task.title),
      address,
      path: [groupTitle(group)],
      date: task.dueAt ?? task.updatedAt,
      text: searched,
    })
  }

  #addToOverview(task: TaskView, address: string): void {
    if (task.archived) {
      this.#archivedCount += 1
      return
    }
    const entry = { title: titleOf(task.title), address }
    this.#section.overview.addChanged({ kind: 'task', ...entry }, task.updatedAt)
    if (!task.completed) this.#section.overview.addDue(entry, task.dueAt)
  }

  /** Writes what shows all of them. */
  async end(): Promise<void> {
    await this.#current.flush()
    await this.#archived.flush()
    await writeTaskLists(this.#section, this.#rows, this.#groups, {
      current: this.#current.names,
      archived: this.#archived.names,
    })
  }

  /** @returns what the search finds in it */
  async #writePage(
    record: SourceRecord,
    { task, row, group, address }: { task: TaskView; row: TaskRow; group: TaskGroup; address: string },
  ): Promise<string> {
    const { map, records, pid, people, title } = this.#section
    const path = map.pathOf(`tasks/${row.file}`)
    const list = task.archived ? 'archive.html' : 'tasks.html'
    const above: PageLink[] = [...map.top(path), { title: 'Tasks', address: '../board.html', isOurs: true }]
    if (task.archived) above.push({ title: 'Archived', address: `../${list}`, isOurs: true })
    const sidebar = map.taskSidebar(path, list, this.#groups.all(), row.group)
    const file = { record, path, around: [String(sidebar), above, groupTitle(group), title] }
    const { searched } = await records.add(file, address, async (texts) => {
      const place = { pid, path, stream: 'tasks', recordKey: task.id } as const
      const description = await texts.content({ text: task.description, field: 'description' }, task.title, place)
      const linkTo = (person: Person) => people?.link(person, path) ?? null
      const comments = await texts.comments(task.comments, place, 'c', linkTo)
      const main = taskPage({ task, pid, group, above, list: `../${list}`, description, comments, linkTo })
      const fields: SearchField[] = [
        ...task.todos.map(({ name }) => ['checklist', name] as const),
        ['label', task.labels.map(labelWords).join(', ')],
        ['person', task.members.flatMap(({ name }) => name ?? []).join(', ')],
        ...comments.map(searchedIn),
      ]
      const page = { path, title: titleOf(task.title), sidebar }
      return { page, main, searched: searchedText(description.plain, fields) }
    })
    return searched
  }
}

function kindOf({ archived, completed }: TaskView): 'open' | 'done' | 'archived' {
  return archived ? 'archived' : completed ? 'done' : 'open'
}

function labelWords({ name, description }: TaskView['labels'][number]): string {
  return `${description ?? ''} ${name}`.trim()
}
