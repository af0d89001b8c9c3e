import { hash } from 'node:crypto'
import type { FileSink } from '../../format.ts'
import type { TaskRow } from '../list-rows.ts'
import { groupTitle, isUnnamed, type TaskGroups } from '../task-groups.ts'

/** UTF-16 units of JSON in a shard at most, and rows. */
const MAX_LENGTH = 1_000_000
const MAX_ROWS = 4096

/** One task in so many begins a new shard, so that a task that comes or goes changes one shard, not all after it. */
const ROWS_PER_SHARD = 1024

/**
 * Writes the rows of a list as scripts, which is all that a page on a disk can load. Each shard has the names of the groups and people, and the
 * descriptions of the labels, that its rows name, so that it depends on its own tasks alone.
 */
export class ListShards {
  readonly #files: FileSink
  readonly #folder: string
  readonly #prefix: string
  readonly #groups: TaskGroups
  readonly #names: string[] = []
  #rows: string[] = []
  #length = 0
  #name = ''
  #groupNames: Record<string, string> = {}
  #people: Record<string, string> = {}
  #labels: Record<string, string> = {}

  /** @param to the folder of the shards, relative to `data/`, and what their names begin with */
  constructor(files: FileSink, to: { readonly folder: string; readonly prefix: string }, groups: TaskGroups) {
    this.#files = files
    this.#folder = to.folder
    this.#prefix = to.prefix
    this.#groups = groups
  }

  /** The names of the shards that were written, in order. */
  get names(): readonly string[] {
    return this.#names
  }

  async add(row: TaskRow): Promise<void> {
    const digest = hash('sha256', row.file, 'hex').slice(0, 16)
    const isBoundary = Number.parseInt(digest.slice(0, 8), 16) % ROWS_PER_SHARD === 0
    const json = JSON.stringify(shardRow(row))
    if (isBoundary || this.#rows.length >= MAX_ROWS || this.#length + json.length > MAX_LENGTH) await this.flush()
    if (this.#rows.length === 0) this.#name = `${this.#prefix}-${digest}`
    this.#rows.push(json)
    this.#length += json.length
    const group = this.#groups.of(row.group)
    if (!isUnnamed(group)) this.#groupNames[`:${row.group}`] = groupTitle(group)
    for (const { uid, name } of row.people) this.#people[`:${uid}`] = name ?? uid
    for (const { name, description } of row.labels) if (description) this.#labels[`:${name}`] = description
  }

  /** Writes the rows that are not written yet. */
  async flush(): Promise<void> {
    if (this.#rows.length === 0) return
    const names = JSON.stringify({ groups: this.#groupNames, people: this.#people, labels: this.#labels })
    const json = `${names.slice(0, -1)},"rows":[${this.#rows.join(',')}]}`
    const text = json.replace(/[\\']/g, '\\$&').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    await this.#files.add(`${this.#folder}/${this.#name}.js`, `collabLists.data('${this.#name}', '${text}')\n`)
    this.#names.push(this.#name)
    this.#rows = []
    this.#length = 0
    this.#groupNames = {}
    this.#people = {}
    this.#labels = {}
  }
}

/** A row as `assets/lists.js` reads it: an array, as there are many. */
function shardRow(row: TaskRow): readonly unknown[] {
  const { file, title, group, position, completed, dueAt, createdAt, updatedAt, labels, people, more, checked, todos } =
    row
  const [uids, words] = [people.map(({ uid }) => uid), labels.map(({ name }) => name)]
  return [
    file,
    title,
    group,
    position,
    completed ? 1 : 0,
    dueAt,
    createdAt,
    updatedAt,
    words,
    uids,
    more,
    checked,
    todos,
  ]
}
