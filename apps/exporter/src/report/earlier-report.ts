import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EarlierBackup } from '@collab-etl/backups/repository'
import {
  BAG_FILES,
  bagInfoText,
  bagInfoValue,
  type DifferingFiles,
  differingFiles,
  PAYLOAD_FOLDER,
} from '@collab-etl/bagit'
import type { Origin } from '../source/backup-source.ts'
import { readingInfo } from '../source/reading-info.ts'
import { REPORT_PATH } from './facts.ts'

/** The files that only one of a bag and the previous backup has; `null` if there is no intact previous backup, or it cannot be read. */
export function differingFrom(earlier: EarlierBackup | null, bag: string): DifferingFiles | null {
  if (earlier === null || earlier.damage !== null) return null
  try {
    return differingFiles(earlier.path, bag)
  } catch {
    return null // `prune` may have removed it: the comparison says so
  }
}

/**
 * The report of the previous backup, if this one holds the same bytes of the same reading: then the report is true of both, and no file of this
 * backup is new. `null` if they differ, a later run found the same (the report says which run, and when), or another version made the previous one.
 * @param differing of the backup that is being written, whose payload is complete except for the report
 */
export async function earlierReport(
  earlier: EarlierBackup | null,
  differing: DifferingFiles | null,
  { software, origin }: { readonly software?: string | undefined; readonly origin: Origin },
): Promise<string | null> {
  if (earlier === null || differing === null || software === undefined) return null
  try {
    const { before, after } = differing
    const [report] = before
    if (report?.path !== `${PAYLOAD_FOLDER}/${REPORT_PATH}` || before.length > 1 || after.length > 0) return null
    const info = await readFile(join(earlier.path, BAG_FILES.info), 'utf8')
    if (bagInfoValue(info, SOFTWARE_LABEL) !== software) return null
    if (!info.includes(bagInfoText(readingInfo(origin)))) return null
    const bytes = await readFile(join(earlier.path, report.path))
    return hash('sha256', bytes) === report.sha256 ? bytes.toString('utf8') : null
  } catch {
    return null // `prune` may have removed it: the comparison says so
  }
}

/** RFC 8493, 2.2.2. */
const SOFTWARE_LABEL = 'Bag-Software-Agent'
