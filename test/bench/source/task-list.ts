import { TaskBlock } from './task-block.ts'

/** Tasks made at once: about 1.2 MB. */
const BLOCK = 1000

/** The answer to a request for a project's tasks, piece by piece; the same bytes each time. */
export interface TaskList {
  readonly byteLength: number
  pieces(): Iterable<Buffer>
}

export interface TaskListOptions {
  readonly pid: string
  /** Number of the first task: no other list may hold the same numbers in this project. */
  readonly first: number
  readonly count: number
  /** Archived tasks have fewer fields. */
  readonly bare?: boolean
  readonly changed: (number: number) => boolean
}

/** A list made anew each time it is asked for. */
export function taskList({ pid, first, count, bare = false, changed }: TaskListOptions): TaskList {
  const whole = count >= BLOCK ? prepared(BLOCK, bare) : undefined
  const wholes = Math.floor(count / BLOCK)
  const rest = count % BLOCK > 0 ? prepared(count % BLOCK, bare) : undefined
  const parts = wholes + (rest ? 1 : 0)
  return {
    byteLength: 2 + wholes * (whole?.byteLength ?? 0) + (rest?.byteLength ?? 0) + Math.max(0, parts - 1),
    *pieces() {
      yield Buffer.from('[')
      for (let part = 0; part < parts; part++) {
        if (part > 0) yield Buffer.from(',')
        const block = part < wholes ? whole : rest
        if (block) yield block.from(pid, first + part * BLOCK, changed)
      }
      yield Buffer.from(']')
    },
  }
}

const blocks = new Map<string, TaskBlock>()

/** A block is made once for all projects, as there are thousands of them, and of pages. */
function prepared(tasks: number, bare: boolean): TaskBlock {
  const name = `${tasks} ${bare}`
  const block = blocks.get(name) ?? new TaskBlock(tasks, bare)
  blocks.set(name, block)
  return block
}

/** The same list held in memory. */
export function held(list: TaskList): TaskList {
  const pieces = [...list.pieces()]
  return { byteLength: list.byteLength, pieces: () => pieces }
}
