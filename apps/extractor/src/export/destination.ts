import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { CliError, EXIT, UsageError } from '@collab-etl/cli'
import { describeOwner, ifExists, isLockError, type Lock, makeDirectory, takeLock } from '@collab-etl/lock'
import { listedFiles, MANIFEST } from './manifest.ts'

/**
 * A directory that appears whole or not at all: it is written beside its place, as `.NAME.collab-export.partial`, and renamed. An earlier
 * export is renamed to `.NAME.collab-export.previous`, and removed. Both are removed without a look into them, hence the unusual names: a
 * directory `NAME.previous` could belong to the user.
 */
export interface Destination extends AsyncDisposable {
  /** Where to write. */
  readonly partial: string
  /** Renames the directory to its place. */
  publish(): Promise<void>
}

/**
 * Takes the place of an export, for this process alone, and removes the files of an interrupted one.
 * @throws UsageError if anything but an earlier export is there; CliError with exit code 11 if another process exports there
 */
export async function openDestination(out: string): Promise<Destination> {
  const target = await resolved(out)
  const beside = (ending: string) => join(dirname(target), `.${basename(target)}.collab-export.${ending}`)
  const [partial, previous] = [beside('partial'), beside('previous')]
  const lock = await writing(out, async () => {
    makeDirectory(dirname(target))
    return await takePlace(beside('lock'), out)
  })
  try {
    await writing(out, async () => {
      // a process was killed between the two renames
      if ((await ifExists(stat(previous))) && !(await ifExists(stat(target)))) await rename(previous, target)
      await refuseForeign(target, out)
      await rm(previous, { recursive: true, force: true })
      await rm(partial, { recursive: true, force: true })
      await mkdir(partial)
    })
  } catch (error) {
    await lock.release()
    throw error
  }
  return {
    partial,
    publish: () =>
      writing(out, async () => {
        lock.check()
        await refuseForeign(target, out)
        await syncDirectories(partial)
        const isEmpty = (await readdir(target).catch(() => null))?.length === 0
        if (isEmpty) await rmdir(target)
        else if (await ifExists(stat(target))) await rename(target, previous)
        await rename(partial, target)
        await syncDirectory(dirname(target))
        // the export is complete: the next one removes what could not be removed now
        await rm(previous, { recursive: true, force: true }).catch(() => {})
      }),
    async [Symbol.asyncDispose]() {
      await rm(partial, { recursive: true, force: true }).catch(() => {})
      await lock.release()
    },
  }
}

/** A link is followed, so that it stays. */
async function resolved(out: string): Promise<string> {
  const path = resolve(out)
  const target = await realpath(path).catch(() => path)
  const isLink = await lstat(target).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
  if (isLink) throw new UsageError(`--out ${out} is a link to a directory that does not exist; make it first`)
  if (basename(target) === '') throw new UsageError(`--out ${out} is the root of the file system; choose a directory`)
  return target
}

async function takePlace(path: string, out: string): Promise<Lock> {
  try {
    return await takeLock(path)
  } catch (error) {
    if (!isLockError(error, 'HELD')) throw error
    throw new CliError(
      `--out ${out}: ${await describeOwner(error.owner)} is writing an export there; wait until it has ended`,
      {
        exitCode: EXIT.locked,
        code: 'LOCKED',
        cause: error,
      },
    )
  }
}

/** Replacing a directory removes all its files: each must be of an earlier export. */
async function refuseForeign(target: string, out: string): Promise<void> {
  const stats = await ifExists(stat(target))
  if (stats === null) return
  if (!stats.isDirectory()) throw new UsageError(`--out ${out} is not a directory`)
  const entries = await readdir(target, { recursive: true, withFileTypes: true })
  if (entries.length === 0) return
  const listed = listedFiles(await readFile(join(target, MANIFEST), 'utf8').catch(() => ''))
  const own = new Set(listed?.map((path) => join(target, path)))
  const foreign = entries
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isDirectory: entry.isDirectory() }))
    .find(
      ({ path, isDirectory }) =>
        !(own.has(path) || (isDirectory && [...own].some((file) => file.startsWith(`${path}${sep}`)))),
    )
  if (foreign === undefined) return
  throw new UsageError(`--out ${out} holds ${foreign.path}, which no earlier export wrote; choose another directory`)
}

/** Turns errors of the file system into one line that names the flag. */
async function writing<T>(out: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CliError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--out ${out} cannot be written to: ${reason}`, { cause: error })
  }
}

async function syncDirectories(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await syncDirectory(join(directory, entry.name))
  await syncDirectory(directory)
}

/** Windows cannot sync directories, nor needs to. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(directory)
  await handle.sync()
}
