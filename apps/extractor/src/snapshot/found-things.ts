import { formatNumber } from '@collab-etl/cli'
import type { DiscoveryCounts, StreamBatch } from '@collab-etl/contract/streams'
import type { KnownId } from '@collab-etl/core'
import type { KnownKind } from '@collab-etl/warehouse'

/** How many things of a kind are known, were read, and turned out not to exist (any more). */
export interface FoundTotals {
  readonly known: number
  readonly read: number
  readonly gone: number
  /** Named by what was read, but of projects that this run did not read. */
  readonly elsewhere: number
  /** Were not found lately; a later run requests them again. */
  readonly waiting: number
  /** Named only by texts and left for a later run, because too many such ids were not found. */
  readonly left: number
}

type Fate = 'known' | 'read' | 'gone'

/** The warning about ids that were left for a later run. */
export function leftMessage(kind: KnownKind, pid: string, { left, leftIn }: DiscoveryCounts): string {
  const ids = formatNumber(left, `${kind} id`)
  return `project ${pid}: ${ids} found in texts (${leftIn.join(', ')}) left for the next run, because 100 others do not exist; use --post to read posts now`
}

/** What became of one project's things of one kind. */
interface Things extends Record<Fate, Set<string>> {
  /** Ids that other projects led to, where they stood, and whether only in texts. */
  readonly named: Map<string, { readonly source: string; readonly isFromText: boolean }>
  waiting: number
  left: number
}

/**
 * The posts and files of all projects, which the service does not list: what became of each id in this run. Ids that are
 * found in one project and belong to another may turn up after the latter was read; these are left to be followed up.
 */
export class FoundThings {
  readonly #projects: Readonly<Record<KnownKind, Map<string, Things>>> = { post: new Map(), file: new Map() }

  /** Notes what a project's streams hand on. */
  note(pid: string, batch: StreamBatch): void {
    const noted = idsOf(batch)
    if (noted === null) return
    const things = this.#of(noted.kind, pid)
    for (const { id, owner } of noted.ids) {
      if (owner === null || owner === pid) things[noted.fate].add(id)
    }
  }

  /** Notes how the reading of a project's things ended: ids that belong to other projects, and those that were not asked for. */
  addCounts(kind: KnownKind, pid: string, { elsewhere, waiting, left }: DiscoveryCounts): void {
    for (const { pid: of, id, source, isFromText } of elsewhere) {
      const { named } = this.#of(kind, of)
      named.set(id, { source, isFromText: isFromText && named.get(id)?.isFromText !== false })
    }
    const things = this.#of(kind, pid)
    things.waiting += waiting
    things.left += left
  }

  /** Ids of a project that were named elsewhere and that it has not come upon itself; each is given out once. */
  takeToFollow(kind: KnownKind, pid: string): KnownId[] {
    const { known, named } = this.#of(kind, pid)
    const ids = [...named].filter(([id]) => !known.has(id)).map(([id, of]) => ({ id, ...of, isDoubtful: true }))
    for (const { id } of ids) known.add(id)
    return ids
  }

  totals(kind: KnownKind, pidsRead: ReadonlySet<string>): FoundTotals {
    const totals = { known: 0, read: 0, gone: 0, elsewhere: 0, waiting: 0, left: 0 }
    for (const [pid, { known, read, gone, named, waiting, left }] of this.#projects[kind]) {
      if (pidsRead.has(pid)) {
        totals.known += new Set([...known, ...named.keys()]).size + waiting + left
        totals.read += read.size
        totals.gone += gone.size
        totals.waiting += waiting
        totals.left += left
      } else {
        totals.elsewhere += named.size
      }
    }
    return totals
  }

  #of(kind: KnownKind, pid: string): Things {
    const projects = this.#projects[kind]
    const things = projects.get(pid) ?? {
      ...{ known: new Set<string>(), read: new Set<string>(), gone: new Set<string>() },
      ...{ named: new Map(), waiting: 0, left: 0 },
    }
    projects.set(pid, things)
    return things
  }
}

interface NotedIds {
  readonly kind: KnownKind
  readonly fate: Fate
  /** `owner`: the project it belongs to, where that may be another than the one that is read. */
  readonly ids: readonly { readonly id: string; readonly owner: string | null }[]
}

function idsOf(batch: StreamBatch): NotedIds | null {
  switch (batch.kind) {
    case 'known_post':
      return noted(
        'post',
        'known',
        batch.records.map(({ post_id: id, pid: owner }) => ({ id, owner })),
      )
    case 'known_file':
      return noted(
        'file',
        'known',
        batch.records.map(({ fid: id, pid: owner }) => ({ id, owner })),
      )
    case 'post':
      return noted(
        'post',
        'read',
        batch.records.map(({ post_id: id }) => ({ id, owner: null })),
      )
    case 'file':
      return noted(
        'file',
        'read',
        batch.records.map(({ fid: id }) => ({ id, owner: null })),
      )
    case 'not_found_post':
      return noted(
        'post',
        'gone',
        batch.records.map(({ post_id: id }) => ({ id, owner: null })),
      )
    case 'not_found_file':
      return noted(
        'file',
        'gone',
        batch.records.map(({ fid: id }) => ({ id, owner: null })),
      )
    default:
      return null
  }
}

function noted(kind: KnownKind, fate: Fate, ids: NotedIds['ids']): NotedIds {
  return { kind, fate, ids }
}
