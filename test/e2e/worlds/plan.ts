import type { Fault, ProjectTruth } from '@collab-etl/sandbox'
import type { Dice } from './dice.ts'
import type { Allowed } from './truth.ts'
import { readable, type World } from './world.ts'

/** What goes wrong in a night, and how the snapshot is run. */
export interface Plan extends Allowed {
  readonly name: string
  readonly args: readonly string[]
  readonly faults: readonly Fault[]
  /** Ends the first run at this share of the requests of a night; the second resumes it, or begins anew. */
  readonly stop?: { readonly signal: 'SIGKILL' | 'SIGINT'; readonly at: number; readonly resumes: boolean }
  /** Statements that damage the warehouse; `--full` repairs it. */
  readonly damage?: string
}

/** The service answers the next try. */
const PASSING: readonly [Fault, ...Fault[]] = [
  ...([{ kind: 'error' }, { kind: 'http', status: 502 }, { kind: 'rate_limit', retryAfter: 0 }] as const),
  ...(['reset', 'reset_in_body', 'truncate', 'truncate_chunked', 'invalid_json', 'empty'] as const).map((kind) => ({
    kind,
  })),
]

/** Statuses with which a code that says "does not exist" contradicts itself. */
const CONTRADICTING = [200, 400, 403, 410, 500, 502] as const
const LISTS = ['tasks.list', 'tasks.archived.list', 'pages.list', 'events.list', 'projects.get'] as const

const DAMAGE = [
  "UPDATE collab.tasks SET name = 'damaged', archived = NOT archived",
  "UPDATE collab.pages SET content = 'damaged' WHERE page_id = (SELECT max(page_id) FROM collab.pages)",
  'DELETE FROM collab.tasks WHERE tid = (SELECT max(tid) FROM collab.tasks)',
  'DELETE FROM collab.task_members; DELETE FROM collab.post_comments',
] as const

export function planNight(world: World, night: number): Plan {
  const { dice } = world
  const allowsShrink = dice.chance(0.3)
  const plain = { args: allowsShrink ? ['--allow-shrink'] : [], faults: [], allowsShrink, excuses: () => false }
  const pid = dice.pick(readable(world))
  const chosen = dice.int(0, 99)
  if (chosen < 30 || pid === undefined) return { ...plain, name: 'nothing' }
  if (chosen < 50) return { ...plain, name: 'passing faults', faults: passing(dice) }
  if (chosen < 68) {
    const stop = { signal: dice.one(['SIGKILL', 'SIGINT']), at: dice.int(5, 100) / 100, resumes: dice.chance(0.8) }
    return { ...plain, name: `${stop.signal} at ${stop.at}${stop.resumes ? ', resumed' : ''}`, stop }
  }
  if (chosen < 70) return { ...plain, name: '--workers 2', args: [...plain.args, '--workers', '2'] }
  if (chosen < 73) return { ...plain, name: `--project ${pid}`, args: [...plain.args, '--project', pid], only: pid }
  if (chosen < 77 && night > 0) {
    return {
      ...plain,
      name: 'damage',
      args: ['--full', '--allow-shrink'],
      allowsShrink: true,
      damage: dice.one(DAMAGE),
    }
  }
  return { ...plain, ...lasting(world, pid, dice) }
}

function passing(dice: Dice): Fault[] {
  return Array.from({ length: dice.int(1, 3) }, () => ({ ...dice.one(PASSING), skip: dice.int(0, 60) }))
}

/** A fault that holds for the whole night. */
function lasting({ sandbox }: World, pid: string, dice: Dice): Pick<Plan, 'name' | 'faults' | 'excuses'> {
  const { posts, files } = sandbox.store.truth(pid)
  const chosen = dice.int(0, 99)
  if (chosen < 30) {
    const operation = dice.one(LISTS)
    const fault = { kind: 'error', operation, where: { pid }, times: 'always' } as const
    return { name: `${operation} of ${pid} fails`, faults: [fault], excuses: (of) => of === pid }
  }
  if (chosen < 45) {
    const faults = [{ kind: 'http', status: 503, where: { pid }, times: 'always' } as const]
    return { name: `project ${pid} fails`, faults, excuses: (of) => of === pid }
  }
  if (chosen < 65) {
    const status = dice.one([404, 404, ...CONTRADICTING])
    const times = dice.one([1, 2, 'always'] as const)
    const fault = { kind: 'error', operation: 'projects.get', errorCode: 400004, where: { pid }, times } as const
    return {
      name: `400004 with ${status}, ${times}, of ${pid}`,
      faults: [{ ...fault, status }],
      excuses: (of) => of === pid,
    }
  }
  return {
    ...item(posts, files, pid, dice),
    excuses: (of, stream) => of === pid && ['posts', 'files'].includes(stream),
  }
}

/** One post or file fails, or is denied by an answer that contradicts itself. */
function item(posts: ProjectTruth['posts'], files: ProjectTruth['files'], pid: string, dice: Dice) {
  const isPost = files.length === 0 || (posts.length > 0 && dice.chance(0.6))
  const at = isPost ? dice.pick(posts)?.post.post_id : dice.pick(files)?.file.fid
  const status = dice.one(CONTRADICTING)
  const kind = isPost ? 'posts' : 'files'
  const where = { pid, [isPost ? 'post_id' : 'fid']: at ?? '' }
  const operation = dice.one([`${kind}.get`, `${kind}.comments.list`] as const)
  const fault = { kind: 'error', operation, where, times: 'always' } as const
  if (dice.chance(0.5)) return { name: `${operation} of ${at} fails`, faults: [fault] }
  const errorCode = isPost ? 900005 : 800004
  return { name: `${operation} of ${at}: ${errorCode} with ${status}`, faults: [{ ...fault, errorCode, status }] }
}
