import { dirname, resolve } from 'node:path'
import { recordArchive } from '@collab-etl/backups/repository'
import { warnOfLeft } from '@collab-etl/backups/unpack'
import { bagInfoValue, readBagInfo } from '@collab-etl/bagit'
import { openArchiveTarget } from '@collab-etl/bagit/archive'
import { CliError, type Context, EXIT, formatCount } from '@collab-etl/cli'
import { beforeWriting, toCliError, whileWriting } from '../errors.ts'
import type { ShownArchive } from '../show/archive-report.ts'
import type { ArchivePlan } from './archive-flags.ts'

/** Writes an archive beside a backup, or where `out` says. */
export async function archiveBag(
  { progress, signal, log }: Pick<Context, 'progress' | 'signal' | 'log'>,
  bag: string,
  { format, encrypter, opensWith, suffix }: ArchivePlan,
  out = `${bag}${suffix}`,
): Promise<ShownArchive> {
  const line = progress.line(`archiving ${bag}`)
  const directory = dirname(resolve(out))
  const opening = () => openArchiveTarget(out, signal, warnOfLeft({ log }))
  await using target = await beforeWriting(directory, opening, 'archive')
  const job = {
    bag,
    format,
    encrypter,
    signal,
    mtime: await begunAt(bag),
    onFile: (done: number, total: number | null) =>
      line.update(() => `archiving: ${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`} files`),
  }
  const written = await whileWriting(directory, () => target.write(job), 'archive')
  line.end()
  await recordArchive(bag, written).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ reason }, 'the archive could not be recorded beside the backups: prune --archives will not find it')
  })
  return { ...written, format, opensWith }
}

/** Writes an archive of a backup that was just made. If that fails, the error says that the backup itself is complete. */
export async function archiveBackup(
  context: Pick<Context, 'progress' | 'signal' | 'log'>,
  { path, name }: { readonly path: string; readonly name: string },
  plan: ArchivePlan,
): Promise<ShownArchive> {
  try {
    return await archiveBag(context, path, plan)
  } catch (cause) {
    if (context.signal.aborted) throw cause
    const known = cause instanceof CliError ? cause : toCliError(cause)
    const reason = known?.message ?? (cause instanceof Error ? cause.message : String(cause))
    throw new CliError(`the backup ${name} was written, but no archive of it: ${reason}`, {
      ...(known ? { exitCode: known.exitCode, code: known.code } : { exitCode: EXIT.unexpected }),
      cause,
    })
  }
}

/** When the backup was begun, to the second; the earliest time of zip files if bag-info.txt does not say. */
export async function begunAt(bag: string): Promise<Date> {
  const info = await readBagInfo(bag).catch(() => '') // its damage is reported when it is archived
  const time = Date.parse(bagInfoValue(info, 'Collab-Begun') ?? bagInfoValue(info, 'Bagging-Date') ?? '')
  return new Date(Number.isNaN(time) ? Date.UTC(1980, 0, 1) : Math.floor(time / 1000) * 1000)
}
