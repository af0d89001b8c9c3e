import type { ReuseTasks } from './reuse-tasks.ts'
import type { ReuseResult } from './reused-files.ts'
import type { Part } from './spliced-file.ts'

/** UTF-16 units of text after which parts are sent. */
const SENT_LENGTH = 65_536

/** Sends the parts of a spliced file in groups, each when the previous one is done. */
export class SentParts {
  readonly #tasks: ReuseTasks
  readonly #path: string
  #parts: Part[] = []
  #length = 0
  #sent: Promise<unknown> = Promise.resolve()

  constructor(tasks: ReuseTasks, path: string) {
    this.#tasks = tasks
    this.#path = path
  }

  async add(part: Part): Promise<void> {
    const last = this.#parts.at(-1)
    if (typeof part !== 'string' && typeof last === 'object' && last.end === part.start) {
      this.#parts[this.#parts.length - 1] = { start: last.start, end: part.end }
      return
    }
    this.#parts.push(part)
    if (typeof part === 'string') this.#length += part.length
    if (this.#length >= SENT_LENGTH) await this.#send()
  }

  async end(): Promise<NonNullable<ReuseResult['ended']>> {
    await this.#send()
    await this.#sent
    const { ended } = await this.#tasks.run({ kind: 'end', path: this.#path })
    if (ended === undefined) throw new TypeError(`${this.#path} was not ended`)
    return ended
  }

  async #send(): Promise<void> {
    await this.#sent
    this.#sent = this.#tasks.run({ kind: 'add', path: this.#path, parts: this.#parts })
    this.#sent.catch(() => {}) // thrown when it is awaited
    this.#parts = []
    this.#length = 0
  }
}
