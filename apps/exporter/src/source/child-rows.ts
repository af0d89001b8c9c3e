import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { keyOf, type Row } from '@collab-etl/documents'

/** Reads the children of rows beside them: both come in the order of the parent's key, so neither is held in memory. */
export class ChildRows implements AsyncDisposable {
  readonly #rows: AsyncIterator<Row>
  readonly #column: string
  #next: Row | undefined
  #begun = false

  /** `column` names the parent: the first column of the children's order after `pid`. */
  constructor(rows: AsyncIterable<Row>, column: string) {
    this.#rows = rows[Symbol.asyncIterator]()
    this.#column = column
  }

  /** The children of one parent. Must be called in the order of the keys. */
  async of(parent: string): Promise<Row[]> {
    if (!this.#begun) await this.#advance()
    const children: Row[] = []
    while (this.#next !== undefined) {
      const order = compareBytes(keyOf(this.#next, this.#column), parent)
      if (order > 0) break
      if (order === 0) children.push(this.#next)
      await this.#advance()
    }
    return children
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rows.return?.()
  }

  async #advance(): Promise<void> {
    this.#begun = true
    const { done, value } = await this.#rows.next()
    this.#next = done ? undefined : value
  }
}
