import { CliError, type Context, EXIT, formatCount } from '@collab-etl/cli'
import { writeArchive } from '../archive/write-archive.ts'
import type { ShownArchive } from '../show/archive-report.ts'
import type { ArchivePlan } from './archive-flags.ts'

/** Writes an archive beside a backup, or where `out` says. */
export async function archiveBag(
  { progress, signal }: Pick<Context, 'progress' | 'signal'>,
  bag: string,
  { format, encrypter, suffix }: ArchivePlan,
  out = `${bag}${suffix}`,
): Promise<ShownArchive> {
  const line = progress.line(`archiving ${bag}`)
  const written = await writeArchive({
    ...{ bag, out, format, encrypter, signal },
    onFile: (done, total) =>
      line.update(`archiving: ${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`} files`),
  })
  line.end()
  return { ...written, format, encrypted: encrypter !== null }
}

/** The same after a backup was made: whatever fails here, that backup is whole, and it is told so. */
export async function archiveBackup(
  context: Pick<Context, 'progress' | 'signal'>,
  { path, name }: { readonly path: string; readonly name: string },
  plan: ArchivePlan,
): Promise<ShownArchive> {
  try {
    return await archiveBag(context, path, plan)
  } catch (cause) {
    if (context.signal.aborted) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CliError(`the backup ${name} was written, but no archive of it: ${reason}`, {
      ...(cause instanceof CliError ? { exitCode: cause.exitCode, code: cause.code } : { exitCode: EXIT.unexpected }),
      cause,
    })
  }
}
