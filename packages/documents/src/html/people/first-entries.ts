import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { PERSON_KINDS, type PersonCounts, type PersonEntry, type PersonKind } from '../list-rows.ts'

/** Counts what a person has to do with by kind, and keeps the entries of each kind that come first, as there may be 100,000. */
export class FirstEntries {
  readonly #shown: number
  readonly #kinds = new Map<PersonKind, { count: number; first: PersonEntry[] }>()

  /** @param shown entries that are kept of each kind */
  constructor(shown: number) {
    this.#shown = shown
  }

  add(entry: PersonEntry): void {
    const known = this.#kinds.get(entry.kind) ?? { count: 0, first: [] }
    this.#kinds.set(entry.kind, known)
    known.count += 1
    if (known.first.push(entry) >= 2 * this.#shown) known.first = this.#cut(entry.kind, known.first)
  }

  /** Open tasks by due date, those without one last; everything else the latest first. */
  of(kind: PersonKind): readonly PersonEntry[] {
    return this.#cut(kind, this.#kinds.get(kind)?.first ?? [])
  }

  get counts(): PersonCounts {
    return PERSON_KINDS.map((kind) => this.#kinds.get(kind)?.count ?? 0)
  }

  #cut(kind: PersonKind, entries: readonly PersonEntry[]): PersonEntry[] {
    return entries.toSorted(byDate(kind)).slice(0, this.#shown)
  }
}

function byDate(kind: PersonKind): (a: PersonEntry, b: PersonEntry) => number {
  return kind === 'open'
    ? (a, b) => compareBytes(a.date ?? '~', b.date ?? '~') || compareBytes(a.address, b.address)
    : (a, b) => compareBytes(b.date ?? '', a.date ?? '') || compareBytes(a.address, b.address)
}
