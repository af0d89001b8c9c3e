import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { ListedKind, ProjectRecord } from '@collab-etl/documents'
import { digestOf, type KindInputs, linksOf, type PreviousProject } from './inputs.ts'
import { Lines } from './previous-records.ts'
import { type IncrementalParts, leadToTheSame } from './record-batches.ts'

/** The tables of records of each kind, in the order in which they are emitted. */
export const RECORDS_OF = { tasks: ['entries', 'tasks'], events: ['events'], files: ['files'] } as const

/** The kinds in the order of their files. */
const KINDS = ['tasks', 'events', 'files'] as const satisfies readonly ListedKind[]

/** The kind of the records of a table. */
export function kindOf(table: string): ListedKind | undefined {
  return KINDS.find((kind) => RECORDS_OF[kind].some((name) => name === table))
}

/** The inputs of a kind that is being written. */
class NotedKind {
  readonly users = new Set<string>()
  readonly found = new Map<string, unknown>()
  readonly linked = new Set<string>()
}

/** The tasks, events and files of a project. Those of a kind share files, which are reused together if all their inputs are the same. */
export class ProjectKinds {
  readonly #parts: IncrementalParts
  readonly #pid: string
  readonly #before: PreviousProject | null
  readonly #noted = new Map<ListedKind, NotedKind>()
  /** The kinds that are reused, with the inputs that they had and the lines of their files. */
  readonly #reused = new Map<ListedKind, { readonly inputs: KindInputs; readonly files: PreviousProject['listed'] }>()

  constructor(parts: IncrementalParts, pid: string, before: PreviousProject | null) {
    this.#parts = parts
    this.#pid = pid
    this.#before = before
  }

  /** Links the files of a kind if its inputs are those of the previous backup. Returns whether it is reused. */
  async reuse(kind: ListedKind): Promise<boolean> {
    const { kindsOf, hasMarkdown, index, places, bag } = this.#parts
    const before = this.#before
    if (before === null || before.kinds[kind] !== kindsOf(this.#pid)[kind]) return false
    if (!hasMarkdown) return true
    const inputs = before.lists[kind]
    if (inputs === undefined || before.folder !== index.folderOf(this.#pid)) return false
    if (this.#haveChanged(inputs.users, before)) return false
    if (!(await leadToTheSame(inputs, this.#pid, places))) return false
    if (inputs.references !== (await this.#referencesOf(kind))) return false
    const files = filesOf(before, kind)
    const linked = inputs.files === 0 ? [] : await bag.linkUnread(files, 'all')
    if (linked.length !== inputs.files || linked.includes(false)) return false
    this.#reused.set(kind, { inputs, files })
    return true
  }

  /** Emits a record to the formats. When they ask for the next one, records which users and links they used. */
  async *noted(kind: ListedKind, record: ProjectRecord): AsyncGenerator<ProjectRecord, void, undefined> {
    const { users, places, index } = this.#parts
    const noted = this.#noted.get(kind) ?? new NotedKind()
    this.#noted.set(kind, noted)
    places.takeFound()
    yield record
    for (const uid of users.takeUsed()) noted.users.add(uid)
    for (const [url, found] of places.takeFound()) noted.found.set(url, found)
    for (const pid of index.takeAsked()) if (pid !== this.#pid) noted.linked.add(pid)
  }

  /**
   * Adds the files of a kind that is reused to the backup.
   * @returns the note of the first format in the previous backup; `undefined` if the kind is not reused
   */
  async addFiles(kind: ListedKind): Promise<unknown> {
    const reused = this.#reused.get(kind)
    if (reused === undefined) return undefined
    await this.#parts.bag.addLinked(reused.files)
    return this.#before?.notes[0]
  }

  /** `files`: number of the Markdown files of each kind. */
  async inputs(
    files: Readonly<Record<ListedKind, number>>,
  ): Promise<Readonly<Partial<Record<ListedKind, KindInputs>>>> {
    const inputs: Partial<Record<ListedKind, KindInputs>> = {}
    for (const kind of KINDS) if (this.#parts.kinds.has(kind)) inputs[kind] = await this.#inputsOf(kind, files[kind])
    return inputs
  }

  async #inputsOf(kind: ListedKind, files: number): Promise<KindInputs> {
    const reused = this.#reused.get(kind)
    if (reused) return reused.inputs
    const { users, found, linked } = this.#noted.get(kind) ?? new NotedKind()
    return {
      users: [...users].sort(compareBytes),
      ...linksOf(found),
      linked: [...linked].sort(compareBytes),
      ...{ files, references: await this.#referencesOf(kind) },
    }
  }

  /** Digest of what a Markdown list of files says about pages and posts, which come before files; empty for other kinds. */
  async #referencesOf(kind: ListedKind): Promise<string> {
    if (kind !== 'files' || !this.#parts.hasMarkdown) return ''
    const { pages, posts } = await this.#parts.index.project(this.#pid)
    const named = [...this.#parts.references.all()].map(([fid, records]) => {
      const places = records.map((record) => {
        const own = record.kind === 'page' ? pages : posts
        const index = own.find(record.id)
        return index === undefined ? null : [own.pathAt(index), own.titleAt(index)]
      })
      return [fid, places]
    })
    return named.length === 0 ? '' : digestOf(named)
  }

  #haveChanged(uids: readonly string[], { users }: PreviousProject): boolean {
    const before = new Map(users)
    return uids.some((uid) => before.get(uid) !== this.#parts.users.versionOf(uid))
  }
}

/** The lines of the files of a kind in the two lists of a previous backup. */
function filesOf({ listed, lists, records }: PreviousProject, kind: ListedKind): PreviousProject['listed'] {
  const above = KINDS.slice(0, KINDS.indexOf(kind)).reduce((sum, name) => sum + (lists[name]?.files ?? 0), records)
  const part = (bytes: Buffer) => new Lines(bytes).slice(above, above + (lists[kind]?.files ?? 0))
  return { manifest: part(listed.manifest), sizes: part(listed.sizes) }
}
