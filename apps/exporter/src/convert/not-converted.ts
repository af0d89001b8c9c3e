import { csvLine } from './csv-line.ts'

/** The file that lists what the target cannot hold. */
export const NOT_CONVERTED = 'not-converted.csv'

/** `in the text`: in the description of the task; `left out`: in no file. */
export type Placement = 'in the text' | 'left out'

/** Values that a target has no field for. */
export interface Unheld {
  readonly pid: string
  readonly project: string | null
  readonly kind: string
  /** Empty: the whole record. */
  readonly field: string
  readonly where: Placement
  records: number
}

/** Counts what a target cannot hold, by project, kind and field. */
export class NotConverted {
  readonly #counts = new Map<string, Unheld>()

  add(
    { pid, project }: Pick<Unheld, 'pid' | 'project'>,
    kind: string,
    field: string,
    where: Placement,
    records = 1,
  ): void {
    if (records === 0) return
    const key = JSON.stringify([pid, kind, field, where])
    const found = this.#counts.get(key)
    if (found) found.records += records
    else this.#counts.set(key, { pid, project, kind, field, where, records })
  }

  get all(): readonly Unheld[] {
    return [...this.#counts.values()]
  }

  /** Sums over all projects, the records that are left out first. */
  totals(): readonly Omit<Unheld, 'pid' | 'project'>[] {
    const sums = new NotConverted()
    for (const { kind, field, where, records } of this.all)
      sums.add({ pid: '', project: null }, kind, field, where, records)
    return sums.all.map(({ kind, field, where, records }) => ({ kind, field, where, records }))
  }

  /** The lines of the file, in pieces. People read it in spreadsheets: its cells are guarded. */
  *lines(): Generator<string> {
    yield csvLine(['pid', 'project', 'kind', 'field', 'records', 'where'])
    for (const { pid, project, kind, field, records, where } of this.all)
      yield csvLine([pid, project, kind, field, String(records), where], { isGuarded: true })
  }
}
