import { execFile } from 'node:child_process'
import { readFileSync, watch } from 'node:fs'
import { promisify } from 'node:util'
import type { Started } from '@collab-etl/harness/commands'
import { TEMPORARY_DIRECTORY } from '@collab-etl/harness/temporary-directory'
import { vi } from 'vitest'
import type { Dice } from '../worlds/dice.ts'
import { setPermission } from '../worlds/world.ts'
import type { Conditions, Place } from './place.ts'

const execute = promisify(execFile)
const HOUR_MS = 3_600_000

/** Something that goes wrong in one night, or in several in a row. */
export interface Trouble {
  readonly name: string
  /** Exit code of a night that cannot be saved; `null`: the job itself is killed, and the next night reports it. */
  readonly exitCode: number | null
  /** What the message about it says; default: there is none. */
  readonly says?: RegExp
  /** Whether a second attempt in the same night finds it gone: such a night must not be lost. */
  readonly passes: boolean
  /** Most nights in a row. Default 1. */
  readonly most?: number
  /** Whether it needs programs in processes of their own. */
  readonly isReal?: boolean
  /** Begins it for one night; `ends` is what ends it after the night. */
  readonly strike: (place: Place, dice: Dice, ends: AsyncDisposableStack) => Conditions | Promise<Conditions>
}

const expired: Trouble = {
  name: 'the token has expired',
  exitCode: 4,
  says: /100006/,
  passes: false,
  most: 3,
  strike: () => ({ env: { COLLAB_TOKEN: 'an-expired-token' } }),
}

const expires: Trouble = {
  ...expired,
  name: 'the token expires during the run, and is not renewed for days',
  strike({ sandbox }, dice, ends) {
    sandbox.faults.add({ kind: 'error', errorCode: 100006, status: 401, skip: dice.int(1, 12), times: 'always' })
    ends.defer(async () => sandbox.faults.clear())
    return {}
  },
}

const unavailable: Trouble = {
  name: 'the service answers 503 at first',
  exitCode: 1,
  says: /503/,
  passes: true,
  strike({ sandbox }, _, ends) {
    sandbox.faults.add({ kind: 'http', status: 503, operation: 'projects.list' })
    ends.defer(async () => sandbox.faults.clear())
    return {}
  },
}

const unavailableInPart: Trouble = {
  name: 'the service answers 502 for a while during the run',
  exitCode: 3,
  says: /502/,
  passes: true,
  strike({ sandbox }, dice, ends) {
    const operation = dice.one(['pages.list', 'tasks.list', 'projects.get'])
    sandbox.faults.add({
      kind: 'http',
      status: 502,
      operation,
      times: dice.int(1, sandbox.pids.length),
    })
    ends.defer(async () => sandbox.faults.clear())
    return {}
  },
}

const down: Trouble = {
  name: 'the service answers 503 for whole nights',
  exitCode: 1,
  says: /503/,
  passes: false,
  most: 3,
  strike({ sandbox }, _, ends) {
    sandbox.faults.add({ kind: 'http', status: 503, times: 'always' })
    ends.defer(async () => sandbox.faults.clear())
    return {}
  },
}

const diskFull: Trouble = {
  name: 'the disk of the backups is full',
  exitCode: 1,
  says: /backup failed: .*disk is full/,
  passes: false,
  most: 2,
  async strike({ disk }, _, ends) {
    await disk.leaveFree(0)
    ends.defer(() => disk.empty())
    return {}
  },
}

const notWritable: Trouble = {
  name: 'the directory of the backups can no longer be written',
  exitCode: 1,
  says: /backup failed: .*(permi|EPERM)/i,
  passes: false,
  most: 2,
  async strike({ out }, _, ends) {
    // holds for root too
    await execute('chattr', ['+i', out])
    ends.defer(async () => void (await execute('chattr', ['-i', out])))
    return {}
  },
}

const noAccess: Trouble = {
  name: 'the token may no longer read a project',
  exitCode: 3,
  says: /denied|permission/,
  passes: false,
  most: 3,
  strike(place, dice, ends) {
    const pid = dice.pick(place.sandbox.pids) ?? ''
    setPermission(place, pid, 0)
    ends.defer(async () => setPermission(place, pid, 15))
    return {}
  },
}

const clockBehind: Trouble = {
  name: 'the clock of the machine is twelve hours behind',
  exitCode: 0,
  passes: true,
  most: 2,
  strike: () => ({ clockErrorMs: -12 * HOUR_MS }),
}

const clockWrong: Trouble = {
  name: 'the clock of the machine is days off, that of the server is right',
  exitCode: 2,
  says: /the clock of this machine shows/,
  passes: false,
  most: 2,
  strike: (_, dice) => ({ clockErrorMs: dice.one([-40, 40, 2000]) * HOUR_MS }),
}

const restarted: Trouble = {
  name: 'Postgres is restarted during the snapshot',
  exitCode: 0,
  passes: true,
  strike({ sandbox, server }, dice, ends) {
    const last = dice.int(2, 12)
    let requests = 0
    const remove = sandbox.beforeRequest(async () => {
      if (++requests !== last) return
      await server.goDown('fast')
      await server.comeBack()
    })
    ends.defer(async () => remove())
    return {}
  },
}

const stepKilled: Trouble = {
  name: 'a step is killed',
  exitCode: 1,
  says: /was killed/,
  passes: true,
  isReal: true,
  strike: (place, dice, ends) => duringStep(place, dice, ends, (_, step) => process.kill(step, 'SIGKILL')),
}

const terminated: Trouble = {
  name: 'the machine shuts down',
  exitCode: 143,
  says: /interrupted by SIGTERM/,
  passes: false,
  isReal: true,
  strike: (place, dice, ends) => duringStep(place, dice, ends, (job) => job.kill('SIGTERM')),
}

const jobKilled: Trouble = {
  name: 'the job is killed',
  exitCode: null,
  says: /interrupted: the job was killed/,
  passes: false,
  isReal: true,
  strike: (place, dice, ends) => duringStep(place, dice, ends, (job) => job.kill('SIGKILL')),
}

/** The troubles that are drawn. */
export const TROUBLES: readonly Trouble[] = [
  ...[expired, expires, unavailable, unavailableInPart, down, diskFull, notWritable, noAccess],
  ...[clockBehind, clockWrong, restarted, stepKilled, terminated, jobKilled],
]

const STEPS = ['snapshot', 'backup', 'verify', 'prune'] as const

/** Does something to a job, once, while it is in a step: in the first two in the middle of it, in the others at their begin. */
function duringStep(
  { sandbox, out }: Place,
  dice: Dice,
  ends: AsyncDisposableStack,
  act: (job: Started, step: number) => void,
): Conditions {
  const during = dice.int(0, STEPS.length - 1)
  const last = dice.int(1, 12)
  return {
    onStart(job) {
      const seen = new Set<number>()
      const over = new AbortController()
      ends.defer(async () => over.abort())
      const strike = () => {
        if (over.signal.aborted) return
        over.abort()
        const [step] = childrenOf(job.pid)
        if (step === undefined) throw new Error('no step runs')
        // what is left of the job would act in the next night
        ends.defer(async () => void (await vi.waitUntil(() => hasEnded(step), { timeout: 60_000 })))
        act(job, step)
      }
      if (STEPS[during] === 'snapshot') {
        let requests = 0
        const remove = sandbox.beforeRequest(() => {
          if (++requests === last) strike()
        })
        ends.defer(async () => remove())
      } else if (STEPS[during] === 'backup') {
        watch(out, { signal: over.signal }, (_, name) => {
          if (TEMPORARY_DIRECTORY.test(name ?? '')) strike()
        })
      } else {
        const timer = setInterval(() => {
          for (const step of childrenOf(job.pid)) seen.add(step)
          if (seen.size === during + 1) strike()
        }, 5)
        ends.defer(async () => clearInterval(timer))
      }
    },
  }
}

function childrenOf(pid: number | undefined): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    return [] // it has ended
  }
}

function hasEnded(pid: number): boolean {
  try {
    // empty once it has ended, until its exit code is read
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === ''
  } catch {
    return true
  }
}
