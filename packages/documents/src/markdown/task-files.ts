import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { NumberColumn, TextColumn } from '../columns.ts'
import type { TextStore } from '../format.ts'
import { FolderNames, foldName, type Naming } from '../names/naming.ts'
import { plainName } from '../names/plain-name.ts'
import { StoredTexts } from '../stored-texts.ts'
import { archiveTime, archiveYear, type TaskView, UNDATED } from '../views/task.ts'
import { tagsOf } from './tags.ts'
import { type TaskTexts, taskSection, titleText } from './task-section.ts'
import { yamlMapping } from './yaml.ts'

/** A file of tasks, as the index of its project lists it. */
export interface TaskFile {
  /** Name in the folder of tasks, without `.md`. */
  readonly name: string
  readonly title: string | null
  readonly tasks: number
  /** How many of them are completed. */
  readonly done: number
}

/** What a file of tasks is of: a group (`null`: tasks in no group), or a year of archived tasks. */
type Whole = { readonly group: string | null } | { readonly year: string }

const NO_GROUP = 'no-group'

/** Names of the other files of the folder, which no group may have. */
const RESERVED = /^(?:NO-GROUP|ARCHIVE-(?:\d{4}|UNDATED))$/

/** The folder of a project's tasks. */
export const TASK_FOLDER = 'tasks'

/** The sections of some tasks, by their index in the order of the ids. */
interface Sections {
  readonly of: Whole
  readonly tasks: number[]
  /** Names of their labels, if files have tags. */
  readonly labels: Set<string>
  done: number
}

/**
 * The tasks of a project as one file for each task group, and one for each year of archived tasks. Tasks arrive in the order of their ids,
 * so their sections are kept in a store until the files are written; memory holds where each is and what they are ordered by, 70 bytes
 * each.
 */
export class TaskFiles {
  readonly #texts: StoredTexts
  /** Tasks without a position come last. */
  readonly #positions = new NumberColumn()
  /** When archived ones were updated last, or created. */
  readonly #times = new TextColumn()
  readonly #naming: Naming
  /** Titles by id, in the order of the ids. */
  readonly #groups = new Map<string, string | null>()
  /** Ids of the groups that the service lists. */
  readonly #listed = new Set<string>()
  readonly #files = new Map<string, Sections>()

  constructor(texts: TextStore, naming: Naming) {
    this.#texts = new StoredTexts(texts)
    this.#naming = naming
  }

  /** Adds a task group; `isListed`: whether the service lists it, so that it exists without tasks. Groups come before tasks. */
  addGroup(id: string, title: string | null, isListed: boolean): void {
    this.#groups.set(id, title)
    if (isListed) this.#listed.add(id)
  }

  /** Titles of the groups that the service lists and that no task which is not archived is in. */
  emptyGroups(): (string | null)[] {
    const empty = [...this.#listed].filter((group) => !this.#files.has(JSON.stringify({ group })))
    return empty.map((id) => this.#groups.get(id) ?? null).sort((a, b) => compareBytes(a ?? '', b ?? ''))
  }

  /** The title of the group of a task; `null` if it has none. */
  groupOf({ groupId }: Pick<TaskView, 'groupId'>): string | null {
    return groupId === null ? null : (this.#groups.get(groupId) ?? groupId)
  }

  /** Adds a task as a section. */
  async add(task: TaskView, texts: TaskTexts): Promise<void> {
    const group = task.archived && task.groupId !== null ? this.groupOf(task) : undefined
    await this.#add(task, `\n${taskSection(task, texts, group)}`)
  }

  /** Adds a task that has a file of its own as a line of a list, which the plugin Tasks of Obsidian reads. */
  async addLine(task: TaskView, link: string): Promise<void> {
    const [due, done] = [dayOf(task.dueAt), dayOf(task.completedAt)]
    const dates = [...(due ? [` 📅 ${due}`] : []), ...(task.completed && done ? [` ✅ ${done}`] : [])]
    await this.#add(task, `- [${task.completed ? 'x' : ' '}] ${link}${dates.join('')}\n`)
  }

  async #add(task: TaskView, text: string): Promise<void> {
    const { groupId, position, completed, archived } = task
    const of = archived ? { year: archiveYear(task) } : { group: groupId }
    const key = JSON.stringify(of)
    const file = this.#files.get(key) ?? { of, tasks: [], labels: new Set(), done: 0 }
    this.#files.set(key, file)
    if (this.#naming === 'plain') for (const { name } of task.labels) file.labels.add(name)
    this.#positions.push(position ?? Number.POSITIVE_INFINITY)
    this.#times.push(archived ? (archiveTime(task) ?? '') : '')
    file.tasks.push(await this.#texts.add(text))
    if (completed) file.done += 1
  }

  /** The files in pieces: groups by title, then those in no group, then the archived ones by year. */
  *files(pid: string): Generator<TaskFile & { readonly pieces: () => AsyncGenerator<string, void, undefined> }> {
    const names = this.#namesOfGroups()
    const found = [...this.#files.values()].map(({ of, tasks, labels, done }) => {
      const [name, title] = 'year' in of ? archiveOf(of.year) : this.#groupOf(of.group, names)
      const tags = this.#naming === 'plain' ? { tags: tagsOf('tasks', labels) } : {}
      return { of, name, title, tasks, done, tags }
    })
    const rank = (of: Whole) => ('year' in of ? 2 : of.group === null ? 1 : 0)
    found.sort(
      (a, b) => rank(a.of) - rank(b.of) || compareBytes(a.title ?? '', b.title ?? '') || compareBytes(a.name, b.name),
    )
    for (const { of, name, title, tasks, done, tags } of found) {
      const by = 'year' in of ? this.#times : this.#positions
      tasks.sort((a, b) => by.compare(a, b) || a - b)
      const counts = { tasks: tasks.length, done }
      yield {
        name,
        title,
        ...counts,
        pieces: () => this.#pieces(frontMatter(pid, { of, name, title, ...counts }, tags), tasks),
      }
    }
  }

  async *#pieces(opening: string, tasks: readonly number[]): AsyncGenerator<string, void, undefined> {
    yield opening
    for (const [index, task] of tasks.entries()) {
      const text = await this.#texts.at(task)
      yield index === 0 && !text.startsWith('\n') ? `\n${text}` : text
    }
  }

  #groupOf(id: string | null, names: ReadonlyMap<string, string>): [name: string, title: string | null] {
    if (id === null) return [NO_GROUP, 'No task group']
    return [names.get(id) ?? id, this.#groups.get(id) ?? null]
  }

  /** All groups have names, those without tasks too, so that a name does not change when tasks come and go. */
  #namesOfGroups(): ReadonlyMap<string, string> {
    const groups = new Map([...this.#groups].map(([id, title]) => [id, { id, title }]))
    for (const { of } of this.#files.values()) {
      if ('group' in of && of.group !== null && !groups.has(of.group))
        groups.set(of.group, { id: of.group, title: null })
    }
    const records = [...groups.values()]
    const reserved = records.map(({ title }) => plainName(title)).filter((name) => RESERVED.test(foldName(name)))
    const names = new FolderNames(this.#naming, reserved).name(records)
    return new Map(records.map(({ id }, index) => [id, names[index] ?? id]))
  }
}

function frontMatter(
  pid: string,
  { of, name, title, tasks, done }: TaskFile & { readonly of: Whole },
  tags: { readonly tags?: readonly string[] },
): string {
  const about = yamlMapping({
    id: 'group' in of && of.group !== null ? of.group : name,
    pid,
    kind: 'tasks',
    title: title ?? '',
    ...tags,
    ...('year' in of ? { archived: of.year } : { entry_id: of.group }),
    tasks,
    done,
  })
  return `---\n${about}---\n# ${titleText(title)}\n`
}

/** The day of a time in UTC; empty if there is none, or none with a year of four digits. */
function dayOf(time: string | null): string {
  return /^\d{4}-\d\d-\d\d/.exec(time ?? '')?.[0] ?? ''
}

function archiveOf(year: string): [name: string, title: string] {
  return [`archive-${year}`, year === UNDATED ? 'Archived tasks without a date' : `Archived tasks of ${year}`]
}
