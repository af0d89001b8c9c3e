import type { PlainRow } from './history-rows.ts'

/** The lists that hold each webhook, as each was last read; the table has it as the first of them does. */
export class ModelWebhooks {
  readonly #table: Map<string, PlainRow>
  readonly #lists = new Map<string, Map<string, PlainRow>>()

  constructor(table: Map<string, PlainRow>) {
    this.#table = table
  }

  /** What a list holds. */
  of(pid: string | null): string[] {
    return [...this.#lists].filter(([, lists]) => lists.has(pid ?? '')).map(([key]) => key)
  }

  /** Takes over a list; gives the rows that follow for what it holds and held. */
  publish(pid: string | null, staged: ReadonlyMap<string, PlainRow>, mayDelete: boolean): Map<string, PlainRow> {
    const keys = new Set([...this.of(pid), ...staged.keys()])
    for (const key of keys) {
      const lists = this.#lists.get(key) ?? new Map<string, PlainRow>()
      this.#lists.set(key, lists)
      const row = staged.get(key)
      if (row !== undefined) lists.set(pid ?? '', row)
      else if (mayDelete) lists.delete(pid ?? '')
      this.#settle(key)
    }
    return new Map([...keys].flatMap((key) => [[key, this.#table.get(key)] as const]).filter(isThere))
  }

  /** The lists of these projects are gone. */
  leave(isGone: (pid: string) => boolean): void {
    for (const [key, lists] of this.#lists) {
      for (const pid of [...lists.keys()]) if (pid !== '' && isGone(pid)) lists.delete(pid)
      this.#settle(key)
    }
  }

  #settle(key: string): void {
    const lists = this.#lists.get(key)
    const projects = [...(lists?.keys() ?? [])].filter((pid) => pid !== '').sort()
    const row = lists?.get(projects[0] ?? '')
    if (row === undefined) this.#table.delete(key)
    else this.#table.set(key, row)
  }
}

function isThere(entry: readonly [string, PlainRow | undefined]): entry is [string, PlainRow] {
  return entry[1] !== undefined
}
