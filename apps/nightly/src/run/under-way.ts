import { readFile, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { CliError, type Context, EXIT } from '@collab-etl/cli'
import { describeOwner, ifExists, isLockError, lockOwner, makeDirectory, replaceFile, takeLock } from '@collab-etl/lock'
import type { Step } from '@collab-etl/observability'
import { recordDirectory } from './record.ts'

/** What is known of a night while it is under way: all that remains of one that is killed. */
export interface StartedNight {
  /** ISO 8601. */
  readonly started_at: string
  readonly host: string
  readonly tool_version: string
  readonly base_url: string | null
  readonly attempts: number
  /** The steps that have ended. */
  readonly steps: readonly Step[]
  /** The step under way, and since when. */
  readonly step: { readonly name: string; readonly started_at: string }
  readonly to_come: readonly string[]
  /** Directory of the summaries of its steps. */
  readonly directory: string | null
}

/** The mark that a night is under way in a directory of backups. Disposing of it removes the mark. */
export interface UnderWay extends AsyncDisposable {
  /** The night before, if it was killed. Its temporary directory is removed. */
  readonly killed: StartedNight | null
  /** Notes how far this one has come. */
  note(night: Omit<StartedNight, 'host'>): Promise<void>
}

/**
 * Marks that a night is under way: by a lock, which shows whether its process is alive, and a file that the next night finds if it is killed.
 * Where no lock can be taken, as on a disk that is full, there is no mark.
 * @throws CliError exit code 11, if another night is under way
 */
export async function beginNight({ log, signal }: Pick<Context, 'log' | 'signal'>, out: string): Promise<UnderWay> {
  const { lockPath, path } = pathsOf(out)
  const onWatch = () => log.info(`the run before may have been killed on another host: watching its lock ${lockPath}`)
  try {
    makeDirectory(dirname(path), 0o700)
    const lock = await takeLock(lockPath, { signal, onWatch })
    const killed = await readStarted(path)
    if (killed !== null) await removeSummaries(killed, out)
    return {
      killed,
      // a full disk does not stop the night
      note: (night) => replaceFile(path, JSON.stringify({ ...night, host: hostname() }), 0o600).catch(() => {}),
      async [Symbol.asyncDispose]() {
        await rm(path, { force: true }).catch(() => {}) // the next night finds this one on record
        await lock.release()
      },
    }
  } catch (error) {
    signal.throwIfAborted()
    if (isLockError(error, 'HELD')) {
      const message = `another run of the job is under way: ${error.message}`
      throw new CliError(message, { exitCode: EXIT.locked, code: 'LOCKED', cause: error })
    }
    log.debug({ reason: String(error) }, 'the run cannot be marked as under way')
    return { killed: null, note: async () => {}, async [Symbol.asyncDispose]() {} }
  }
}

function pathsOf(out: string) {
  const directory = recordDirectory(out)
  return { lockPath: join(directory, 'night.lock'), path: join(directory, 'started.json') }
}

/** The night that began and is not on record yet. */
export interface BegunNight extends Pick<StartedNight, 'started_at' | 'host'> {
  /** The step under way, or during which it was killed. */
  readonly step: string
  /** `process 12 on etl-1`; `null`: it was killed. */
  readonly process: string | null
}

/** The night that is under way, or was killed and is reported by the next one; `null`: there is none. Takes no lock. */
export async function begunNight(out: string): Promise<BegunNight | null> {
  const { lockPath, path } = pathsOf(out)
  const owner = await lockOwner(lockPath).catch(() => null)
  const night = await readStarted(path).catch(() => null)
  if (night === null) return null
  const { started_at, host, step } = night
  return { started_at, host, step: step.name, process: owner && (await describeOwner({ ...owner, since: '' })) }
}

async function readStarted(path: string): Promise<StartedNight | null> {
  const text = await ifExists(readFile(path, 'utf8'))
  if (text === null) return null
  try {
    const night = JSON.parse(text) as StartedNight // as `note` wrote it
    const areTimes = [night.started_at, night.step.started_at].every((time) => !Number.isNaN(Date.parse(time)))
    return areTimes && Array.isArray(night.steps) && Array.isArray(night.to_come) ? night : null
  } catch {
    return null // edited, or written by another version
  }
}

/** Removes the summaries of a night that was killed: only a directory that a night makes, in a place where it makes one. */
async function removeSummaries({ directory }: StartedNight, out: string): Promise<void> {
  if (typeof directory !== 'string' || !/^collab-nightly-\w+$/.test(basename(directory))) return
  if (![tmpdir(), recordDirectory(out)].includes(dirname(directory))) return
  await rm(directory, { recursive: true, force: true }).catch(() => {}) // another user's
}
