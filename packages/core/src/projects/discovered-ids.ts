import type { Scope, ScopeResult, StreamBatch } from '@collab-etl/contract/streams'
import type { DiscoveredKind } from '../streams/id-queues.ts'
import type { KnownId } from '../streams/read-options.ts'

/** Totals of one kind over several projects. */
export interface DiscoveryTotals {
  readonly known: number
  readonly read: number
  readonly notFound: number
  /** Not requested, because their last readings are recent enough. */
  readonly carried: number
  /** Discovered, but in projects that were not read. */
  readonly elsewhere: number
  /** Not found recently; a later run requests them again. */
  readonly waiting: number
  /** Discovered only in texts and left for a later run, because too many such ids were not found. */
  readonly left: number
  /** Whether the service lists them, in each project that was read: none is missing that nothing names. */
  readonly isListed: boolean
}

interface ProjectIds {
  readonly known: Set<string>
  readonly read: Set<string>
  readonly notFound: Set<string>
  /** Ids discovered in other projects, how, and whether in texts only. */
  readonly named: Map<string, { readonly source: string; readonly isFromText: boolean }>
  carried: number
  waiting: number
  left: number
  isListed: boolean
}

export type DiscoveredIdsData = Readonly<Record<DiscoveredKind, readonly ProjectIdsData[]>>

interface ProjectIdsData extends Pick<ProjectIds, 'carried' | 'waiting' | 'left' | 'isListed'> {
  readonly pid: string
  readonly known: readonly string[]
  readonly read: readonly string[]
  readonly notFound: readonly string[]
  readonly named: readonly (readonly [string, { readonly source: string; readonly isFromText: boolean }])[]
}

/**
 * The ids of posts and files that the readings of several projects discover, and whether they were read. An id that is
 * discovered in one project and belongs to another may become known after the latter was read; it is followed up.
 */
export class DiscoveredIds {
  readonly #projects: Readonly<Record<DiscoveredKind, Map<string, ProjectIds>>> = { post: new Map(), file: new Map() }

  /** Adds the ids of a batch that was read in project `pid`. */
  addBatch(pid: string, batch: StreamBatch): void {
    switch (batch.kind) {
      case 'known_post':
        for (const { pid: owner, post_id } of batch.records) if (owner === pid) this.#of('post', pid).known.add(post_id)
        break
      case 'known_file':
        for (const { pid: owner, fid } of batch.records) if (owner === pid) this.#of('file', pid).known.add(fid)
        break
      case 'post':
        for (const { post_id } of batch.records) this.#of('post', pid).read.add(post_id)
        break
      case 'file':
        for (const { fid } of batch.records) this.#of('file', pid).read.add(fid)
        break
      case 'not_found_post':
        for (const { post_id } of batch.records) this.#of('post', pid).notFound.add(post_id)
        break
      case 'not_found_file':
        for (const { fid } of batch.records) this.#of('file', pid).notFound.add(fid)
    }
  }

  /** Adds ids that the reading of their own project requests or carries, so that they are not followed up. */
  addKnown(kind: DiscoveredKind, pid: string, ids: readonly KnownId[]): void {
    const { known } = this.#of(kind, pid)
    for (const { id, isWaiting } of ids) if (isWaiting !== true) known.add(id)
  }

  /** Adds ids of a project's posts or files that other projects named, in this run or in one that it resumes. */
  addNamed(kind: DiscoveredKind, pid: string, ids: Iterable<Pick<KnownId, 'id' | 'source' | 'isFromText'>>): void {
    const { named } = this.#of(kind, pid)
    for (const { id, source, isFromText = false } of ids) {
      named.set(id, { source, isFromText: isFromText && named.get(id)?.isFromText !== false })
    }
  }

  /** Adds the result of a scope: ids that belong to other projects, and those that were not requested. */
  addResult(result: ScopeResult): void {
    const { scope, discovered } = result
    if (scope.pid === null || discovered === undefined) return
    const kind = kindOf(scope)
    for (const found of discovered.elsewhere) this.addNamed(kind, found.pid, [found])
    this.#count(result, 1)
    this.#of(kind, scope.pid).isListed ||= discovered.isListed
  }

  /** Takes the counts of a result back, which could not be stored. */
  takeBack(result: ScopeResult): void {
    this.#count(result, -1)
  }

  #count({ scope, discovered, carried }: ScopeResult, sign: 1 | -1): void {
    if (scope.pid === null || discovered === undefined) return
    const ids = this.#of(kindOf(scope), scope.pid)
    ids.carried += sign * (carried?.items ?? 0)
    ids.waiting += sign * discovered.waiting
    ids.left += sign * discovered.left
  }

  /** Adds the ids that another process discovered. */
  add({ post, file }: DiscoveredIdsData): void {
    for (const [kind, projects] of [['post', post] as const, ['file', file] as const]) {
      for (const { pid, ...of } of projects) {
        const ids = this.#of(kind, pid)
        for (const list of ['known', 'read', 'notFound'] as const) for (const id of of[list]) ids[list].add(id)
        this.addNamed(
          kind,
          pid,
          of.named.map(([id, how]) => ({ id, ...how })),
        )
        for (const count of ['carried', 'waiting', 'left'] as const) ids[count] += of[count]
        ids.isListed ||= of.isListed
      }
    }
  }

  /** The discovered ids, for another process to `add`. */
  toJSON(): DiscoveredIdsData {
    const data = (kind: DiscoveredKind) =>
      [...this.#projects[kind]].map(([pid, { known, read, notFound, named, ...counts }]) => ({
        pid,
        known: [...known],
        read: [...read],
        notFound: [...notFound],
        named: [...named],
        ...counts,
      }))
    return { post: data('post'), file: data('file') }
  }

  /** Ids of a project that other projects named and its own reading did not discover; each is returned once. */
  takeForFollowUp(kind: DiscoveredKind, pid: string): KnownId[] {
    const { known, named } = this.#of(kind, pid)
    const ids = [...named].filter(([id]) => !known.has(id)).map(([id, of]) => ({ id, ...of, isDoubtful: true }))
    for (const { id } of ids) known.add(id)
    return ids
  }

  known(kind: DiscoveredKind, pid: string): number {
    return this.#projects[kind].get(pid)?.known.size ?? 0
  }

  totals(kind: DiscoveredKind, pidsRead: ReadonlySet<string>): DiscoveryTotals {
    const totals = { known: 0, read: 0, notFound: 0, carried: 0, elsewhere: 0, waiting: 0, left: 0, isListed: true }
    for (const [pid, { known, read, notFound, carried, named, waiting, left, isListed }] of this.#projects[kind]) {
      if (pidsRead.has(pid)) {
        totals.isListed &&= isListed
        totals.known += new Set([...known, ...named.keys()]).size + waiting + left
        totals.read += read.size
        totals.notFound += notFound.size
        totals.carried += carried
        totals.waiting += waiting
        totals.left += left
      } else {
        totals.elsewhere += named.size
      }
    }
    return totals
  }

  #of(kind: DiscoveredKind, pid: string): ProjectIds {
    const projects = this.#projects[kind]
    const ids: ProjectIds = projects.get(pid) ?? {
      known: new Set(),
      read: new Set(),
      notFound: new Set(),
      named: new Map(),
      carried: 0,
      waiting: 0,
      left: 0,
      isListed: false,
    }
    projects.set(pid, ids)
    return ids
  }
}

function kindOf({ stream }: Scope): DiscoveredKind {
  return stream === 'files' ? 'file' : 'post'
}
