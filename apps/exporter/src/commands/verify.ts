import { locateBackup } from '@collab-etl/backups'
import { type Sample, type VerifyReport, verifyBag } from '@collab-etl/bagit'
import { type Context, defineCommand, EXIT, formatCount, UsageError } from '@collab-etl/cli'
import { type BackupPlace, backupPlaceOf } from '../repository/records.ts'
import { passTurn, sampleOf } from '../repository/sample-turn.ts'
import { recordVerification, type VerifyMode } from '../repository/verified-mark.ts'
import { reportVerify } from '../show/verify-report.ts'
import { DECRYPT_OPTIONS, verifyArchiveFile } from './verify-archive-file.ts'

/** With more parts than this, files would wait for years. */
const MOST_PARTS = 1000

export const verify = defineCommand({
  command: 'verify <backup>',
  describe: 'checks every file of a backup against its manifest',
  examples: [
    ['verify ./backups/latest', 'every byte of the latest backup, and notes beside it that it is verified'],
    ['verify ./backups --sample 1/7', 'every byte of a seventh of it, another one each time: all in a week of nights'],
    ['verify ./collab.tar.zst.age --identity ./key.txt', 'an archive, every byte, without unpacking it'],
    ['verify ./backups --fast', 'the same one by numbers and sizes of files alone'],
  ],
  options: {
    backup: {
      type: 'string',
      demandOption: true,
      describe: 'a backup, the directory that holds backups (its latest), or an archive',
    },
    fast: { type: 'boolean', default: false, describe: 'numbers and sizes of files only' },
    sample: { type: 'string', describe: '1/N  every byte of one part in N, in turns; numbers and sizes of the others' },
    ...DECRYPT_OPTIONS,
  },
  settings: [],
  async run(context, { backup: named, fast, sample: sampleText, ...keys }) {
    const begun = new Date()
    if (fast && sampleText !== undefined) throw new UsageError('--fast and --sample cannot be had at once')
    const parts = sampleText === undefined ? null : parseParts(sampleText)
    const path = await locateBackup(named)
    const ofArchive = path === null ? await verifyArchiveFile(context, named, keys) : null
    if (ofArchive !== null) return ofArchive
    if (path === null) throw new UsageError(`${named} is neither a backup nor a directory with a latest backup`)
    const place = await backupPlaceOf(path)
    const sample = parts === null ? null : await sampleOf(place?.directory ?? null, parts, begun)
    const line = context.progress.line(`checking ${path}`)
    const report = await verifyBag(path, {
      ...{ fast, signal: context.signal, ...(sample && { sample }) },
      onProgress: (done, total) => line.update(() => `checking: ${formatCount(done)} of ${formatCount(total)} files`),
    })
    line.end()
    const mode = fast ? 'fast' : sample ? 'sample' : 'full'
    const recorded = place !== null && (await record(context, place, { report, mode, sample, begun }))
    reportVerify(context.stdout, report, { path, mode, sample, recorded, milliseconds: Date.now() - begun.getTime() })
    return report.damage.length === 0 ? EXIT.ok : EXIT.damage
  },
})

function parseParts(text: string): number {
  const [, parts] = /^1\/(\d{1,4})$/.exec(text.trim()) ?? []
  const count = Number(parts)
  if (count >= 2 && count <= MOST_PARTS) return count
  throw new UsageError(`--sample must be one part of 2 to ${MOST_PARTS}, such as 1/7, not "${text}"`)
}

interface Verified {
  readonly report: VerifyReport
  readonly mode: VerifyMode
  readonly sample: Sample | null
  readonly begun: Date
}

/** Backups may lie where nothing can be written: what was found is told all the same. */
async function record(
  { log }: Context,
  place: BackupPlace,
  { report, mode, sample, begun }: Verified,
): Promise<boolean> {
  try {
    if (sample) await passTurn(place.directory, sample)
    return await recordVerification(place, { at: begun.toISOString(), mode, damaged: report.damage.length })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ reason }, 'that this backup was verified could not be noted beside it')
    return false
  }
}
