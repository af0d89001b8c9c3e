import { resolve } from 'node:path'
import { locateBackup, refuseForeignBag } from '@collab-etl/backups'
import { backupPlaceOf, passTurn, recordVerification, sampleOf } from '@collab-etl/backups/repository'
import { archiveKeys, DECRYPT_OPTIONS, type DecryptFlags } from '@collab-etl/backups/unpack'
import { DamagedBagError, type VerifyReport, verifyBag } from '@collab-etl/bagit'
import { verifyArchive } from '@collab-etl/bagit/archive'
import { type Context, defineCommand, EXIT, type ExitCode, UsageError } from '@collab-etl/cli'
import { countProgress } from '../show/progress.ts'
import { reportVerify } from '../show/verify-report.ts'
import { SUMMARIES } from './summaries.ts'
import { recorded, verifyInTurn } from './verify-in-turn.ts'

/** With more parts, some files would not be checked for years. */
const MOST_PARTS = 1000

export const verify = defineCommand({
  ...SUMMARIES.verify,
  examples: [
    ['verify ./backups/latest', 'every byte of the latest backup; records next to it that it was verified'],
    ['verify ./backups --sample 1/7', 'every byte of a seventh of the files, another seventh in each run'],
    ['verify ./collab.tar.zst.age --identity ./key.txt', 'every byte of an archive, without unpacking it'],
    ['verify ./backups --fast', 'only the number and the sizes of its files'],
  ],
  options: {
    backup: {
      type: 'string',
      demandOption: true,
      describe: 'a backup, the directory that holds backups (its latest), or an archive',
    },
    fast: { type: 'boolean', default: false, describe: 'checks only the number and the sizes of files' },
    sample: {
      type: 'string',
      describe: '1/N  checks every byte of one N-th of the files, another one in each run, and the sizes of the others',
    },
    'in-turn': {
      type: 'boolean',
      default: false,
      describe: 'checks one backup besides the newest, and one archive: those that were checked longest ago',
    },
    archives: { type: 'string', describe: 'DIR  with --in-turn: where the archives are [default: beside the backups]' },
    ...DECRYPT_OPTIONS,
  },
  settings: [],
  check({ fast, sample, 'in-turn': inTurn, archives }) {
    if (inTurn && (fast || sample !== undefined))
      throw new UsageError('--in-turn reads every byte: leave out --fast and --sample')
    if (!inTurn && archives !== undefined) throw new UsageError('--archives needs --in-turn')
  },
  async run(context, { backup: named, fast, sample: sampleText, 'in-turn': inTurn, archives, ...keys }) {
    if (inTurn) return await verifyInTurn(context, resolve(named), resolve(archives ?? named))
    const begun = new Date()
    if (fast && sampleText !== undefined) throw new UsageError('--fast and --sample cannot be combined')
    const parts = sampleText === undefined ? null : parseParts(sampleText)
    const path = await locateBackup(named)
    const ofArchive = path === null ? await verifyArchiveFile(context, named, keys) : null
    if (ofArchive !== null) return ofArchive
    if (path === null) throw new UsageError(`${named} is neither a backup nor a directory with a latest backup`)
    await refuseForeignBag(path, named)
    const place = await backupPlaceOf(path)
    const sample = parts === null ? null : await sampleOf(place?.directory ?? null, parts, begun)
    const line = context.progress.line(`checking ${path}`)
    const report = await verifyBag(path, {
      fast,
      signal: context.signal,
      ...(sample && { sample }),
      onProgress: countProgress(line, 'checking', 'files'),
    })
    line.end()
    refuseDenied(path, report)
    const mode = fast ? 'fast' : sample ? 'sample' : 'full'
    const verification = { at: begun.toISOString(), mode, damaged: report.damage.length } as const
    const isRecorded =
      place !== null &&
      (await recorded(context, async () => {
        if (sample) await passTurn(place.directory, sample)
        return await recordVerification(place, verification)
      }))
    reportVerify(context.stdout, report, {
      path,
      mode,
      sample,
      recorded: isRecorded,
      milliseconds: Date.now() - begun.getTime(),
    })
    return report.damage.length === 0 ? EXIT.ok : EXIT.damage
  },
})

/**
 * Fails if the only findings are files that this user may not read: they say nothing about the backup.
 * @throws DamagedBagError `DENIED`
 */
function refuseDenied(path: string, { damage }: VerifyReport): void {
  const [first] = damage
  if (first && damage.every(({ kind }) => kind === 'denied')) throw new DamagedBagError(path, first)
}

function parseParts(text: string): number {
  const [, parts] = /^1\/(\d{1,4})$/.exec(text.trim()) ?? []
  const count = Number(parts)
  if (count >= 2 && count <= MOST_PARTS) return count
  throw new UsageError(`--sample must be one part of 2 to ${MOST_PARTS}, such as 1/7, not "${text}"`)
}

/** Verifies an archive; `null` if the file is not one. */
async function verifyArchiveFile(
  { stdout, progress, signal }: Context,
  named: string,
  flags: DecryptFlags,
): Promise<ExitCode | null> {
  const keys = await archiveKeys(named, flags)
  if (keys === null) return null
  const begun = performance.now()
  const line = progress.line(`checking ${named}`)
  const report = await verifyArchive(named, {
    decrypter: keys.decrypter,
    signal,
    onProgress: countProgress(line, 'checking', 'files'),
  })
  line.end()
  const milliseconds = performance.now() - begun
  reportVerify(stdout, report, { path: named, mode: 'full', sample: null, recorded: false, milliseconds })
  return report.damage.length === 0 ? EXIT.ok : EXIT.damage
}
