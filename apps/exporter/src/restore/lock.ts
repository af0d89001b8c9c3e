import { realpath } from 'node:fs/promises'
import { CliError, EXIT } from '@collab-etl/cli'
import { describeOwner, type Hold, holdFile, isLockError, type Lock, takeLock } from '@collab-etl/lock'

/** Held while a restore writes the journal and sends requests that create something. */
export interface JournalLock extends AsyncDisposable {
  /** Throws if another restore may have started meanwhile. Call it before each line of the journal. */
  check(): void
  /** Excludes restores that reach the journal by another path. Call it once the journal exists. */
  hold(): Promise<void>
}

/**
 * Locks a journal, because two restores would create every record twice.
 *
 * @throws CliError with exit code 11 if another restore holds the lock
 */
export async function lockJournal(journal: string): Promise<JournalLock> {
  // the path of a journal may contain links
  const path = `${await realpath(journal).catch(() => journal)}.lock`
  const lock = await locked(path, () => takeLock(path))
  const held: AsyncDisposable[] = []
  return {
    check: () => check(lock, path),
    async hold() {
      held.push(await locked(path, () => holdFile(journal)))
    },
    async [Symbol.asyncDispose]() {
      await using _last = lock
      for (const one of held.splice(0)) await one[Symbol.asyncDispose]()
    },
  }
}

async function locked<T extends Lock | Hold>(path: string, take: () => Promise<T>): Promise<T> {
  try {
    return await take()
  } catch (error) {
    if (isLockError(error, 'NOT_A_FILE')) throw new CliError(error.message, { exitCode: EXIT.usage, cause: error })
    if (!isLockError(error)) throw error
    throw new CliError(
      `another restore of this project into the same target is running: ${await describeOwner(error.owner)} holds ${path}; ` +
        'wait until it ends',
      { exitCode: EXIT.locked, code: 'LOCKED', cause: error },
    )
  }
}

function check(lock: Lock, path: string): void {
  try {
    lock.check()
  } catch (error) {
    throw new CliError(
      `the lock ${path} was removed, or taken over while this restore was paused; make sure that no other restore runs, then run again`,
      { code: 'LOCK_LOST', cause: error },
    )
  }
}
