import { type DocumentsTable, type LinkedProject, type PreviousProject, parseRecordLine } from './inputs.ts'
import { Lines } from './previous-records.ts'
import { type IncrementalParts, leadToTheSame } from './record-batches.ts'

type Parts = Pick<IncrementalParts, 'projects' | 'users' | 'index' | 'places' | 'hasMarkdown'>

/** Compares what the files of projects depend on, such as their paths, with the previous backup. */
export class ProjectPaths {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** See `ProjectInputs.version`; `null` if the backup does not have the project. */
  versionOf(pid: string): string | null {
    return this.#parts.projects.get(pid) ?? null
  }

  /** Whether all paths are those of the previous backup: those of a project's own records, and those of the projects that it links to. */
  async canBeKept({ pid, tree, linked }: PreviousProject): Promise<boolean> {
    if (!this.#parts.hasMarkdown) return true
    if (tree === null) return false
    return (await this.#parts.index.treeOf(pid)) === tree && (await this.areSame(linked))
  }

  /** Whether the paths of projects are those of the previous backup. */
  async areSame(linked: readonly LinkedProject[]): Promise<boolean> {
    for (const [pid, version, tree] of linked) {
      const now = this.versionOf(pid)
      if (now === version) continue
      if (now === null || tree === null || (await this.#parts.index.treeOf(pid)) !== tree) return false
    }
    return true
  }

  /** Whether all files of a project would be the same: its rows, users and links are unchanged. */
  async isWrittenTheSame(before: PreviousProject): Promise<boolean> {
    const { users } = this.#parts
    if (before.version !== this.versionOf(before.pid)) return false
    if (before.users.some(([uid, version]) => users.versionOf(uid) !== version)) return false
    return (await this.areSame(before.linked)) || (await this.#leadToTheSame(before))
  }

  async #leadToTheSame({ pid, lines, lists, own }: PreviousProject): Promise<boolean> {
    const { places, index } = this.#parts
    const records = new Lines(lines)
    let areSame = await leadToTheSame(own, pid, places)
    for (const list of Object.values(lists)) areSame &&= await leadToTheSame(list, pid, places)
    for (let at = 0; areSame && at < records.count; at++) {
      areSame = await leadToTheSame(parseRecordLine(records.text(at)), pid, places)
    }
    index.takeAsked() // by links that may not be written
    return areSame
  }

  /** The present state of projects. Only those that changed since the previous backup are read. */
  async linkedProjects(pids: readonly string[], before: PreviousProject | null): Promise<readonly LinkedProject[]> {
    const known = new Map(before?.linked.map(([pid, version, tree]) => [pid, { version, tree }]))
    const linked: LinkedProject[] = []
    for (const pid of pids) {
      const version = this.versionOf(pid)
      const same = known.get(pid)
      if (same !== undefined && same.version === version) linked.push([pid, version, same.tree])
      else linked.push([pid, version, version === null ? null : await this.#parts.index.treeOf(pid)])
    }
    return linked
  }

  /** The path index was read earlier: the index of a project must not list records that the project no longer has. */
  async requireAll(table: DocumentsTable, pid: string, records: number): Promise<void> {
    if (!this.#parts.hasMarkdown) return
    const places = await this.#parts.index.project(pid)
    if (places[table].count !== records) {
      throw new Error(`the source changed while it was read: ${table} of project ${pid}`)
    }
  }
}
