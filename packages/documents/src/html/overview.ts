import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { FirstOf } from '@collab-etl/contract/first-of'
import { shortened } from './pages/words.ts'

/** A record that a project's first page names. */
export interface OverviewEntry {
  readonly kind: 'page' | 'post' | 'task'
  readonly title: string
  /** From the project's folder. */
  readonly address: string
  /** When it changed last, or when it is due. */
  readonly date: string
}

/** Records that changed last, and tasks with the latest due dates, that are kept. */
const MOST = { changed: 8, due: 60 } as const

/** Gathers what a project's first page shows of its records. It depends on the records alone, not on the day. */
export class Overview {
  readonly #changed = new FirstOf<OverviewEntry>(MOST.changed, byLatest)
  readonly #due = new FirstOf<OverviewEntry>(MOST.due, byLatest)

  addChanged(entry: Omit<OverviewEntry, 'date'>, date: string | null): void {
    if (date !== null) this.#changed.add({ ...entry, title: shortened(entry.title, 200), date })
  }

  /** Adds an open task; a script shows those around the time of the backup. */
  addDue(entry: Omit<OverviewEntry, 'date' | 'kind'>, dueAt: string | null): void {
    if (dueAt !== null) this.#due.add({ ...entry, kind: 'task', title: shortened(entry.title, 200), date: dueAt })
  }

  /** The latest first. */
  get changed(): readonly OverviewEntry[] {
    return this.#changed.all()
  }

  /** The latest last. */
  get due(): readonly OverviewEntry[] {
    return this.#due.all().toReversed()
  }
}

function byLatest(a: OverviewEntry, b: OverviewEntry): number {
  return compareBytes(b.date, a.date) || compareBytes(a.address, b.address)
}
