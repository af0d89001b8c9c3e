import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EarlierBackup } from '@collab-etl/backups/repository'
import { BAG_FILES, bagInfoValue, differingFiles, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { REPORT_PATH } from './facts.ts'

/**
 * The report of the previous backup, if this one holds the same bytes: then the report is true of both, and no file of this backup is new. Usually no
 * run has read anything since. `null` if they differ, or another version made the previous one.
 * @param bag folder of the backup that is being written, whose payload is complete except for the report
 */
export async function earlierReport(
  earlier: EarlierBackup | null,
  bag: string,
  software: string | undefined,
): Promise<string | null> {
  if (earlier === null || earlier.damage !== null || software === undefined) return null
  try {
    const { before, after } = differingFiles(earlier.path, bag)
    const [report] = before
    if (report?.path !== `${PAYLOAD_FOLDER}/${REPORT_PATH}` || before.length > 1 || after.length > 0) return null
    const info = await readFile(join(earlier.path, BAG_FILES.info), 'utf8')
    if (bagInfoValue(info, SOFTWARE_LABEL) !== software) return null
    const bytes = await readFile(join(earlier.path, report.path))
    return hash('sha256', bytes) === report.sha256 ? bytes.toString('utf8') : null
  } catch {
    return null // `prune` may have removed it: the comparison says so
  }
}

/** RFC 8493, 2.2.2. */
const SOFTWARE_LABEL = 'Bag-Software-Agent'
