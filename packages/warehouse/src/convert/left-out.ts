import type { LossKind, RecordLoss } from '@collab-etl/core'
import { type Cell, LEFT_OUT, type Table } from '../tables/table.ts'

/** Kinds of losses that say that a list did not come as a list. */
const NO_LIST: ReadonlySet<LossKind> = new Set(['left_out', 'missing', 'unreadable'])

/** What the service did not send of one record though the interface promises it: unknown, so that stored values are kept. */
export class LeftOut {
  /** Paths of fields that were left out. */
  readonly #fields = new Set<string>()
  readonly #lists = new Set<string>()

  /** Takes a loss of the record. */
  add({ field, kind }: RecordLoss): void {
    if (kind === 'left_out') this.#fields.add(field)
    if (NO_LIST.has(kind)) this.#lists.add(field)
  }

  /** Whether a field was left out, alone or with the object that holds it. */
  has(path: string): boolean {
    const dot = path.indexOf('.')
    return this.#fields.has(path) || (dot >= 0 && this.#fields.has(path.slice(0, dot)))
  }

  isUnknownList(path: string): boolean {
    return this.#lists.has(path)
  }

  /** Names of the record's own fields that were left out. */
  get names(): readonly string[] {
    return [...this.#fields].filter((path) => /^[a-z_]+$/.test(path))
  }
}

/** What was left out of the records of a batch, by their keys; `null` for most batches: nothing was. */
export function leftOutOf(losses: readonly RecordLoss[]): ReadonlyMap<string, LeftOut> | null {
  let byKey: Map<string, LeftOut> | null = null
  for (const loss of losses) {
    if (!NO_LIST.has(loss.kind)) continue
    byKey ??= new Map()
    const leftOut = byKey.get(loss.recordKey) ?? new LeftOut()
    byKey.set(loss.recordKey, leftOut)
    leftOut.add(loss)
  }
  return byKey
}

/**
 * Replaces the cells of fields that were left out by NULL and names their columns. Of a record's own row, also what `extra` may
 * hold of such a field (`extra:project`).
 */
export function leftOutColumns(table: Table, cells: Cell[], leftOut: LeftOut): readonly string[] {
  const names: string[] = []
  for (const [index, cell] of cells.entries()) {
    if (cell !== LEFT_OUT) continue
    cells[index] = null
    names.push(table.columns[index]?.name ?? 'extra')
  }
  if (table.isRecord === true) names.push(...leftOut.names.map((name) => `extra:${name}`))
  return names
}
