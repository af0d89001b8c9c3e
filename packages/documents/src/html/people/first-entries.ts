import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { FirstOf } from '@collab-etl/contract/first-of'
import { PERSON_KINDS, type PersonCounts, type PersonEntry, type PersonKind } from '../list-rows.ts'

/** Counts what a person has to do with by kind, and keeps the entries of each kind that come first. */
export class FirstEntries {
  readonly #shown: number
  readonly #kinds = new Map<PersonKind, { count: number; first: FirstOf<PersonEntry> }>()

  /** @param shown entries that are kept of each kind */
  constructor(shown: number) {
    this.#shown = shown
  }

  add(entry: PersonEntry): void {
    const known = this.#kinds.get(entry.kind) ?? { count: 0, first: new FirstOf(this.#shown, byDate(entry.kind)) }
    this.#kinds.set(entry.kind, known)
    known.count += 1
    known.first.add(entry)
  }

  /** Open tasks by due date, those without one last; everything else the latest first. */
  of(kind: PersonKind): readonly PersonEntry[] {
    return this.#kinds.get(kind)?.first.all() ?? []
  }

  get counts(): PersonCounts {
    return PERSON_KINDS.map((kind) => this.#kinds.get(kind)?.count ?? 0)
  }
}

function byDate(kind: PersonKind): (a: PersonEntry, b: PersonEntry) => number {
  return kind === 'open'
    ? (a, b) => compareBytes(a.date ?? '~', b.date ?? '~') || compareBytes(a.address, b.address)
    : (a, b) => compareBytes(b.date ?? '', a.date ?? '') || compareBytes(a.address, b.address)
}
