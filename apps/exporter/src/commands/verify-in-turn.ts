import { join } from 'node:path'
import {
  isAsWritten,
  type ListedBackup,
  listArchives,
  listBackups,
  readMark,
  recordArchiveVerification,
  recordVerification,
} from '@collab-etl/backups/repository'
import { type Damage, verifyBag } from '@collab-etl/bagit'
import { type Context, EXIT, type ExitCode, formatNumber, plainText } from '@collab-etl/cli'
import { ifExists } from '@collab-etl/lock'
import { countProgress } from '../show/progress.ts'

/**
 * Reads every byte of one backup besides the newest, and of one archive: those whose last verification is the longest ago. One that was
 * never verified counts from when it was written: if it came first, the new one of each night would leave the others no turn. Both results are
 * recorded. Damage that is on record already is a warning: otherwise each of its turns would fail.
 */
export async function verifyInTurn(context: Context, repository: string, archives: string): Promise<ExitCode> {
  const { stdout } = context
  const backup = await nextBackup(context, repository)
  const known = backup === null ? 0 : ((await readMark({ directory: repository, name: backup })).damage?.damaged ?? 0)
  const damage = backup === null ? [] : await verifyBackup(context, repository, backup)
  const archive = await verifyNextArchive(context, repository, archives)
  const problems = [
    ...(damage.length === 0 ? [] : [`${formatNumber(damage.length, 'file')} of the backup ${backup} damaged`]),
    ...(archive?.isDamaged ? [`the archive ${archive.name} has other bytes than were written`] : []),
  ]
  const isNew = damage.length > known || (archive?.isDamaged === true && !archive.wasDamaged)
  const problem = problems.join('; ') || null
  if (problem !== null && !isNew) context.log.warn(`still damaged, as an earlier verification found: ${problem}`)
  stdout.document({ backup, archive: archive?.name ?? null, damage, problem })
  stdout.line(`Older backup: ${backup ?? 'none'}`)
  for (const { kind, path } of damage) stdout.line(`  ${kind.padEnd(10)}  ${plainText(path)}`)
  stdout.line(`Archive: ${archive?.name ?? 'none'}`)
  stdout.line(problems.length === 0 ? stdout.bold('Intact') : `${stdout.bold('Damaged')}: ${problems.join('; ')}`)
  return isNew ? EXIT.damage : EXIT.ok
}

/** Name of the backup whose turn it is. */
async function nextBackup({ signal }: Context, repository: string): Promise<string | null> {
  const isBackup = ({ state }: ListedBackup) => state !== 'archive' && state !== 'foreign'
  // the newest one is verified by itself: `latest` is an older one while the newer ones are partial
  const [, ...older] = (await listBackups(repository, { signal }))
    .filter(isBackup)
    .toSorted((a, b) => +b.begun - +a.begun)
  const turns = older.map(async ({ name, begun }) => ({
    name,
    at: (await readMark({ directory: repository, name })).full?.at ?? begun.toISOString(),
  }))
  return longestAgo(await Promise.all(turns))?.name ?? null
}

async function verifyBackup(context: Context, repository: string, name: string): Promise<readonly Damage[]> {
  const { signal, progress, log } = context
  const at = new Date().toISOString()
  const line = progress.line(`checking ${name}`)
  const onProgress = countProgress(line, 'checking', 'files')
  const { damage } = await verifyBag(join(repository, name), { fast: false, signal, onProgress })
  line.end()
  // a file that this user may not read says nothing about the backup
  const found = damage.filter(({ kind }) => kind !== 'denied')
  const verification = { at, mode: 'full', damaged: damage.length } as const
  if (found.length === damage.length)
    await recorded(context, () => recordVerification({ directory: repository, name }, verification))
  else
    log.warn(
      `${name} was not verified: this user cannot read ${formatNumber(damage.length - found.length, 'file')} of it`,
    )
  return found
}

async function verifyNextArchive(
  context: Context,
  repository: string,
  directory: string,
): Promise<{ readonly name: string; readonly wasDamaged: boolean; readonly isDamaged: boolean } | null> {
  // a disk that is not there is named by the step that writes to it
  const onRecord = (await ifExists(listArchives(repository, directory))) ?? []
  let left = onRecord.map((archive) => ({
    ...archive,
    at: archive.verifiedAt ?? archive.writtenAt,
  }))
  for (let next = longestAgo(left); next !== undefined; next = longestAgo(left)) {
    const archive = next
    const verifiedAt = new Date().toISOString()
    const isSame = await isAsWritten(archive, context.signal)
    if (isSame !== null) {
      const isDamaged = !isSame
      await recorded(context, () => recordArchiveVerification(repository, archive, { verifiedAt, isDamaged }))
      return { name: archive.name, wasDamaged: archive.isDamaged, isDamaged }
    }
    // it was moved away
    left = left.filter((other) => other !== archive)
  }
  return null
}

/** Writes the result of a verification. Where it cannot be written, as on a read-only directory, it is only reported. */
export async function recorded({ log }: Context, write: () => Promise<unknown>): Promise<boolean> {
  try {
    return (await write()) !== false
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ reason }, 'the result of the verification could not be recorded next to the backup')
    return false
  }
}

/** @param list each with the time from which it waits for its turn */
function longestAgo<T extends { readonly name: string; readonly at: string }>(list: readonly T[]): T | undefined {
  return list.toSorted((a, b) => `${a.at} ${a.name}`.localeCompare(`${b.at} ${b.name}`, 'en'))[0]
}
