import { hexId } from './ids.ts'
import { PLACEHOLDERS, type TaskShape, taskRecord } from './task-record.ts'

/** Offsets of a task's values in the bytes of a block. */
interface Slots {
  readonly pids: readonly number[]
  readonly tid: number
  /** -1 if there is none. */
  readonly position: number
  /** Digits that differ in the second version: in the name, the update time, the first checklist item's state. */
  readonly digits: readonly number[]
}

/** The text before the digits that change, and their offset in the value. */
const CHANGING = [
  { after: PLACEHOLDERS.version, plus: 0 },
  { after: '"updated_at":"', plus: '2024-01-01T00:00:00.00'.length },
  { after: '"checked":', plus: 0 },
]

const POSITION_FROM = 1_000_000

/**
 * The JSON of some tasks, separated by commas, prepared once: other tasks are a copy with their own values
 * written into it, so that a list of any length is cheap and never held in memory.
 */
export class TaskBlock {
  readonly tasks: number
  readonly #bytes: Buffer
  readonly #slots: readonly Slots[]

  constructor(tasks: number, shape: TaskShape) {
    this.tasks = tasks
    const texts = Array.from({ length: tasks }, (_, number) => Buffer.from(JSON.stringify(taskRecord(number, shape))))
    this.#bytes = Buffer.concat(texts.flatMap((text, index) => (index === 0 ? [text] : [Buffer.from(','), text])))
    let start = 0
    this.#slots = texts.map((text) => {
      const slots = {
        pids: placesOf(PLACEHOLDERS.pid, text).map((at) => start + at),
        tid: this.#bytes.indexOf(PLACEHOLDERS.tid, start),
        position: shape.bare ? -1 : this.#bytes.indexOf(PLACEHOLDERS.position, start),
        digits: CHANGING.map(({ after, plus }) => [this.#bytes.indexOf(after, start), after.length + plus] as const)
          .filter(([at]) => at >= 0 && at < start + text.length)
          .map(([at, plus]) => at + plus),
      }
      start += text.length + 1
      return slots
    })
  }

  get byteLength(): number {
    return this.#bytes.length
  }

  /** A project's tasks from number `first` on. `changed` returns whether a task is in its second version. */
  from(pid: string, first: number, changed: (number: number) => boolean): Buffer {
    const bytes = Buffer.from(this.#bytes)
    this.#slots.forEach((slots, index) => {
      const number = first + index
      for (const at of slots.pids) bytes.write(pid, at, 'latin1')
      bytes.write(hexId(number), slots.tid, 'latin1')
      if (slots.position >= 0) bytes.write(String(POSITION_FROM + number), slots.position, 'latin1')
      if (changed(number)) for (const at of slots.digits) bytes[at] = (bytes[at] ?? 0) ^ 1
    })
    return bytes
  }
}

function placesOf(word: string, text: Buffer): number[] {
  const places: number[] = []
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) places.push(at)
  return places
}
