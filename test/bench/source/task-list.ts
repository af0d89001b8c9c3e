import { TaskBlock } from './task-block.ts'
import type { TaskShape } from './task-record.ts'

/** Tasks per block, about 1.2 MB. */
const BLOCK = 1000

/** The answer to a request for a project's tasks, in parts; the same bytes each time. */
export interface TaskList {
  readonly byteLength: number
  pieces(): Iterable<Buffer>
}

export interface TaskListOptions extends TaskShape {
  readonly pid: string
  /** Number of the first task; numbers of lists in a project must not overlap. */
  readonly first: number
  readonly count: number
  readonly changed: (number: number) => boolean
}

/** A list that is generated for each request. */
export function taskList({ pid, first, count, changed, ...shape }: TaskListOptions): TaskList {
  const whole = count >= BLOCK ? prepared(BLOCK, shape) : undefined
  const wholes = Math.floor(count / BLOCK)
  const rest = count % BLOCK > 0 ? prepared(count % BLOCK, shape) : undefined
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

/** A block is generated once for all projects and pages, of which there are thousands. */
function prepared(tasks: number, shape: TaskShape): TaskBlock {
  const name = `${tasks} ${shape.bare}`
  const block = blocks.get(name) ?? new TaskBlock(tasks, shape)
  blocks.set(name, block)
  return block
}

/** The same list, held in memory. */
export function held(list: TaskList): TaskList {
  const pieces = [...list.pieces()]
  return { ...list, pieces: () => pieces }
}
