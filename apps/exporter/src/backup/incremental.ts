import type { BagWriter } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { LinkPlaces, PathIndex } from '@collab-etl/documents'
import type { LinkedProject, OpenedInputs, PreviousProject, ProjectInputs } from './inputs.ts'
import { filesIn, KeptFiles } from './kept-files.ts'
import type { UserVersions } from './people.ts'

interface IncrementalParts extends OpenedInputs {
  readonly bag: BagWriter
  readonly users: UserVersions
  readonly index: PathIndex
  readonly places: LinkPlaces
}

/** A project that was written. */
type WrittenInputs = Pick<ProjectInputs, 'counts' | 'tables' | 'entry' | 'notes' | 'issues' | 'files' | 'links'> & {
  /** Users that its rows name. */
  readonly people: Iterable<string>
}

/**
 * Reuses the files of the previous backup. A project keeps all its files if nothing of it changed: neither the versions of its rows, nor the users
 * that these name, nor the projects that its texts link to. Of a changed project, all records are read, those of pages and posts without their
 * texts, and all files are made again, except files of one record, and its parts of others, whose inputs are the same (`KeptFiles`).
 */
export class Incremental {
  readonly #parts: IncrementalParts

  constructor(parts: IncrementalParts) {
    this.#parts = parts
  }

  /** The project in the previous backup. Must be called for each project, in the order of their ids. */
  before(pid: string): PreviousProject | null {
    return this.#parts.previous?.project(pid) ?? null
  }

  /** The files of a project that are made of one record each. */
  filesOf(pid: string, before: PreviousProject | null): KeptFiles {
    return new KeptFiles({ ...this.#parts, pid, before, folder: this.#parts.previous?.folder ?? null })
  }

  /** Adds all files of a project from the previous backup if nothing of it changed. Returns whether it did. */
  async reuseProject(before: PreviousProject): Promise<boolean> {
    return (await this.#isTheSame(before)) && (await this.#parts.bag.addUnread(before.listed))
  }

  /** Records the inputs of a project whose files were all reused. */
  async noteReused(before: PreviousProject, notes: ProjectInputs['notes']): Promise<void> {
    const { listed: _listed, lines, ...inputs } = before
    const pids = before.linked.map(([pid]) => pid)
    await this.#write({ ...inputs, notes, linked: await this.#linkedProjects(pids, before) })
    await this.#parts.fileInputs.write(lines)
  }

  /** Records the inputs of a project that was written. */
  async note(
    pid: string,
    before: PreviousProject | null,
    files: KeptFiles,
    { people, ...written }: WrittenInputs,
  ): Promise<void> {
    const found = await files.found(written.links)
    const linked = [...files.linked].filter((other) => other !== pid).sort(compareBytes)
    await this.#write({
      pid,
      version: this.#versionOf(pid) ?? '',
      found,
      ...written,
      users: [...people].sort(compareBytes).map((uid) => [uid, this.#parts.users.versionOf(uid)]),
      linked: await this.#linkedProjects(linked, before),
      records: files.count,
    })
  }

  /** Closes the inputs files. */
  async end(): Promise<void> {
    await this.#parts.inputs.end()
    await this.#parts.fileInputs.end()
  }

  async #isTheSame(before: PreviousProject): Promise<boolean> {
    const { users, hasSameProjects } = this.#parts
    if (before.version !== this.#versionOf(before.pid)) return false
    if (before.users.some(([uid, version]) => users.versionOf(uid) !== version)) return false
    return (hasSameProjects && (await this.#areTheSame(before.linked))) || (await this.#leadsToTheSame(before))
  }

  /** Whether the paths of projects are those of the previous backup. */
  async #areTheSame(linked: readonly LinkedProject[]): Promise<boolean> {
    for (const [pid, version, tree] of linked) {
      const now = this.#versionOf(pid)
      if (now === version) continue
      if (now === null || tree === null || (await this.#parts.index.treeOf(pid)) !== tree) return false
    }
    return true
  }

  /** Whether all links of a project lead to the same as in the previous backup. */
  async #leadsToTheSame(before: PreviousProject): Promise<boolean> {
    const files = this.filesOf(before.pid, null)
    if ((await files.found(before.links)) !== before.found) return false
    for (const { links, found } of filesIn(before.lines)) if ((await files.found(links)) !== found) return false
    return true
  }

  /** The present state of projects. Only those that changed since the previous backup are read. */
  async #linkedProjects(pids: readonly string[], before: PreviousProject | null): Promise<readonly LinkedProject[]> {
    const known = new Map(before?.linked.map(([pid, version, tree]) => [pid, { version, tree }]))
    const linked: LinkedProject[] = []
    for (const pid of pids) {
      const version = this.#versionOf(pid)
      const same = known.get(pid)
      if (same !== undefined && same.version === version) linked.push([pid, version, same.tree])
      else linked.push([pid, version, version === null ? null : await this.#parts.index.treeOf(pid)])
    }
    return linked
  }

  /** See `ProjectInputs.version`; `null` if the backup does not have the project. */
  #versionOf(pid: string): string | null {
    return this.#parts.projects.get(pid) ?? null
  }

  async #write(inputs: ProjectInputs): Promise<void> {
    await this.#parts.inputs.write(`${JSON.stringify(inputs)}\n`)
  }
}
