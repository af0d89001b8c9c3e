import { DEFUSE_RULE } from '@collab-etl/cli'
import type { BagWriter } from '../bag/bag-writer.ts'
import type { ProjectRecords } from '../jsonl/project-records.ts'
import type { ScopeState } from '../source/backup-source.ts'
import type { BackupLoss } from '../tree/head.ts'
import type { BackupOptions, Counts } from './options.ts'

/** Version of the layout of a backup; a reader may refuse one that it does not know. */
const LAYOUT_VERSION = 1

/** A project's entry in the certificate. */
export interface ProjectEntry {
  readonly pid: string
  readonly name: string | null
  /** Its folder in the bag; `null` without Markdown. */
  readonly folder: string | null
  readonly counts: Omit<Counts, 'projects'>
  /** Its JSON lines, where the backup has some. */
  readonly jsonl?: ProjectRecords
}

/** What a backup says about itself. */
export interface Certificate {
  readonly options: BackupOptions
  readonly counts: Counts
  readonly projects: readonly ProjectEntry[]
  readonly scopes: readonly ScopeState[]
  readonly losses: readonly BackupLoss[]
}

/**
 * Writes data/backup.json: one entry a line, so that it reads well and compares well. It holds nothing that differs
 * between two backups of the same state: no time, no run, no address.
 */
export async function writeCertificate(bag: BagWriter, certificate: Certificate): Promise<void> {
  const { options, counts, projects, scopes, losses } = certificate
  const file = await bag.stream('backup.json')
  const { rawCells, bom, delimiter } = options.csv
  const csv = options.formats.has('csv')
    ? { raw_cells: rawCells, bom, delimiter, ...(!rawCells && { defused: DEFUSE_RULE }) }
    : null
  await file.write('{\n')
  await file.write(`"format": "collab-export backup",\n"layout": ${LAYOUT_VERSION},\n`)
  await file.write(`"formats": ${JSON.stringify([...options.formats].sort())},\n"csv": ${JSON.stringify(csv)},\n`)
  await file.write(`"names": ${JSON.stringify(options.naming)},\n"links": ${JSON.stringify(options.linkStyle)},\n`)
  await file.write(`"counts": ${JSON.stringify(counts)},\n`)
  await file.write(`"posts": "those that are known: the service lists none",\n`)
  await writeList(file, 'projects', projects)
  await file.write(',\n')
  await writeList(file, 'scopes', scopes)
  await file.write(',\n')
  await writeList(file, 'losses', losses)
  await file.write('\n}\n')
  await file.end()
}

async function writeList(
  file: { write(text: string): Promise<void> },
  name: string,
  items: readonly unknown[],
): Promise<void> {
  await file.write(`${JSON.stringify(name)}: [`)
  let separator = '\n'
  for (const item of items) {
    await file.write(`${separator}${JSON.stringify(item)}`)
    separator = ',\n'
  }
  await file.write(separator === '\n' ? ']' : '\n]')
}
