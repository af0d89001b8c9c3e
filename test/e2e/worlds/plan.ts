import type { Fault, ProjectTruth } from '@collab-etl/sandbox'
import type { Dice } from './dice.ts'
import type { Stream } from './rows.ts'
import type { Allowed } from './truth.ts'
import { readable, type World } from './world.ts'

/** What goes wrong in a night, and how the snapshot is run. */
export interface Plan extends Allowed {
  readonly name: string
  readonly args: readonly string[]
  readonly quirks: readonly string[]
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
/** Operations that read a stream, each by itself. */
const READING = [
  ['tasks.list', 'tasks'],
  ['tasks.archived.list', 'archived_tasks'],
  ['pages.list', 'pages'],
  ['events.list', 'events'],
  ['projects.get', 'projects'],
  ['projects.members.list', 'members'],
  ['entries.list', 'entries'],
  ['tasks.comments.list', 'task_comments'],
  ['posts.list', 'posts'],
  ['files.list', 'files'],
] as const
/** Those that the service need not offer. */
const OPTIONAL: readonly Stream[] = ['members', 'entries', 'task_comments', 'posts', 'files']
const LISTED: readonly Stream[] = ['tasks', 'archived_tasks', 'pages', 'events', 'projects', 'webhooks']

/** Damage to a project that can be read again. */
const DAMAGE = [
  (pid: string) => `UPDATE collab.tasks SET name = 'damaged', archived = NOT archived WHERE pid = '${pid}'`,
  (pid: string) =>
    `UPDATE collab.pages SET content = 'damaged' WHERE page_id = (SELECT max(page_id) FROM collab.pages WHERE pid = '${pid}')`,
  (pid: string) => `DELETE FROM collab.tasks WHERE tid = (SELECT max(tid) FROM collab.tasks WHERE pid = '${pid}')`,
  (pid: string) =>
    `DELETE FROM collab.task_members WHERE pid = '${pid}'; DELETE FROM collab.post_comments WHERE pid = '${pid}'`,
] as const

/** Cuts lists of members; all others are shorter. */
const CAP = 'lists-cap=20'
/** Deviations of what is offered that change what is read, or must not. */
const QUIRKS = ['folder-in-itself', 'posts-without-content', 'members-without-email', CAP] as const

/** Teams are offered, but not their lists of projects. */
const NO_TEAM_PROJECTS: Fault = { kind: 'http', status: 404, operation: 'teams.projects.list', times: 'always' }

export function planNight(world: World, night: number): Plan {
  const plan = planReading(world, night)
  const { faults, showsTeamProjects } = plan
  return { ...plan, faults: showsTeamProjects ? faults : [...faults, NO_TEAM_PROJECTS] }
}

function planReading(world: World, night: number): Plan {
  const { dice, offers } = world
  const allowsShrink = dice.chance(0.3)
  const readsComments = dice.chance(0.1)
  const isOff = dice.chance(0.04)
  const never = () => false
  const quirks = dice.some(QUIRKS, 0.2)
  const plain = {
    args: [
      ...(allowsShrink ? ['--allow-shrink'] : []),
      ...(readsComments ? ['--refresh', 'task_comments=0d'] : []),
      ...(isOff ? ['--extended', 'off'] : []),
    ],
    faults: [],
    allowsShrink,
    quirks,
    offered: new Set(isOff ? [] : offers),
    isOff,
    isSure: true,
    hidesEmail: quirks.includes('members-without-email'),
    isFull: readsComments,
    showsTeamProjects: dice.chance(0.85),
    showsTeamMembers: true,
    isCapped: quirks.includes(CAP),
    excuses: never,
    fails: never,
  }
  const pid = dice.pick(readable(world))
  const chosen = dice.int(0, 99)
  if (chosen < 30 || pid === undefined) return { ...plain, name: 'nothing' }
  if (chosen < 50) {
    const faults = passing(dice)
    const names = faults.map(({ kind, skip }) => `${kind} after ${skip}`)
    // an operation is tried once more only
    return { ...plain, name: `passing faults: ${names.join(', ')}`, faults, isSure: false }
  }
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
      isFull: true,
      isOff: false,
      offered: new Set(offers),
      damage: dice.one(DAMAGE)(pid),
    }
  }
  return { ...plain, ...lasting(world, pid, dice) }
}

/** All of them may strike one request. */
export const MOST_PASSING = 3

function passing(dice: Dice): Fault[] {
  return Array.from({ length: dice.int(1, MOST_PASSING) }, () => ({ ...dice.one(PASSING), skip: dice.int(0, 60) }))
}

/** A fault that holds for the whole night. */
function lasting({ sandbox }: World, pid: string, dice: Dice): Pick<Plan, 'name' | 'faults'> & Partial<Allowed> {
  const { posts, files } = sandbox.store.truth(pid)
  const chosen = dice.int(0, 99)
  if (chosen < 30) {
    const [operation, stream] = dice.one(READING)
    const fault = { kind: 'error', operation, where: { pid }, times: 'always' } as const
    const isOfIt: Allowed['fails'] = (...of) => of[0] === pid && of[1] === stream
    const name = `${operation} of ${pid} fails`
    // the operation may be tried with this project, and it is no longer known whether it is offered
    if (OPTIONAL.includes(stream)) return { name, faults: [fault], excuses: isOfIt, isSure: false }
    // comments of tasks that were not read are not asked for
    const excuses: Allowed['excuses'] = (...of) => isOfIt(...of) || (of[0] === pid && of[1] === 'task_comments')
    return { name, faults: [fault], excuses, fails: isOfIt }
  }
  if (chosen < 45) {
    const faults = [{ kind: 'http', status: 503, where: { pid }, times: 'always' } as const]
    return {
      name: `project ${pid} fails`,
      faults,
      excuses: (of) => of === pid,
      isSure: false,
      fails: (of, stream) => of === pid && LISTED.includes(stream),
    }
  }
  if (chosen < 65) return denial(pid, dice)
  if (chosen < 72) {
    const faults = [{ kind: 'error', operation: 'teams.members.list', times: 'always' } as const]
    const excuses: Allowed['excuses'] = (of, stream) => of === '' && stream === 'teams'
    return { name: 'teams.members.list fails', faults, excuses, isSure: false, showsTeamMembers: false }
  }
  return item(posts, files, pid, dice)
}

/** A listed project does not exist, says an answer; with 403 instead of 404, the token may not read its detail. */
function denial(pid: string, dice: Dice): Pick<Plan, 'name' | 'faults'> & Partial<Allowed> {
  const status = dice.one([404, 404, ...CONTRADICTING])
  const times = dice.one([1, 2, 'always'] as const)
  const fault = { kind: 'error', operation: 'projects.get', errorCode: 400004, where: { pid }, times } as const
  const isOfIt: Allowed['fails'] = (...of) => of[0] === pid && of[1] === 'projects'
  return {
    name: `400004 with ${status}, ${times}, of ${pid}`,
    faults: [{ ...fault, status }],
    ...(status === 403 ? { denies: pid } : { excuses: isOfIt }),
    ...(times === 'always' && status !== 403 && { fails: isOfIt }),
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
  const allowed: Partial<Allowed> = {
    unreadable: { pid, kind, id: at ?? '', part: operation === `${kind}.get` ? '' : '/comments' },
    excuses: (of, stream) => of === pid && stream === kind,
  }
  if (dice.chance(0.5)) return { ...allowed, name: `${operation} of ${at} fails`, faults: [fault] }
  const errorCode = isPost ? 900005 : 800004
  const name = `${operation} of ${at}: ${errorCode} with ${status}`
  return { ...allowed, name, faults: [{ ...fault, errorCode, status }] }
}
