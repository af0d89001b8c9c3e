import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { EarlierBackup } from '@collab-etl/backups/repository'
import {
  bagInfoText,
  bagInfoValue,
  type DifferingFiles,
  differingFiles,
  PAYLOAD_FOLDER,
  readBagInfo,
  readSmallFile,
} from '@collab-etl/bagit'
import type { Origin } from '../source/backup-rows.ts'
import { readingInfo } from '../source/reading-info.ts'
import { REPORT_PATH } from './facts.ts'

/**
 * The report of the previous backup, if this one holds the same bytes of the same reading: then the report is true of both, and no file of this
 * backup is new. `null` if they differ, a later run found the same (the report says which run, and when), or another version made the previous one.
 * @param bag the folder of the backup that is being written, whose payload is complete except for the report
 * @returns also the files that only one of both backups has, if they were compared
 */
export async function earlierReport(
  earlier: EarlierBackup | null,
  bag: string,
  reading: { readonly software?: string | undefined; readonly origin: Origin },
): Promise<{ readonly same: string | null; readonly differing: DifferingFiles | null }> {
  let differing: DifferingFiles | null = null
  try {
    if (earlier === null || earlier.damage !== null || !(await isOfSameReading(earlier, reading))) {
      return { same: null, differing }
    }
    differing = differingFiles(earlier.path, bag)
    const { before, after } = differing
    const [report] = before
    if (report?.path !== `${PAYLOAD_FOLDER}/${REPORT_PATH}` || before.length > 1 || after.length > 0) {
      return { same: null, differing }
    }
    const bytes = await readSmallFile(join(earlier.path, report.path))
    return { same: hash('sha256', bytes) === report.sha256 ? bytes.toString('utf8') : null, differing }
  } catch {
    return { same: null, differing } // `prune` may have removed it: the comparison says so
  }
}

async function isOfSameReading(
  { path }: EarlierBackup,
  { software, origin }: { readonly software?: string | undefined; readonly origin: Origin },
): Promise<boolean> {
  if (software === undefined) return false
  const info = await readBagInfo(path)
  return bagInfoValue(info, SOFTWARE_LABEL) === software && info.includes(bagInfoText(readingInfo(origin)))
}

/** RFC 8493, 2.2.2. */
const SOFTWARE_LABEL = 'Bag-Software-Agent'
