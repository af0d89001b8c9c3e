import { hash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BAG_FILES } from '@collab-etl/bagit'
import { type BackupPlace, readRecord, recordPath, writeRecord } from './records.ts'

/** How much of a backup was read. */
export type VerifyMode = 'full' | 'sample' | 'fast'

/** The outcome of a verification. */
export interface Verification {
  /** ISO 8601. */
  readonly at: string
  readonly mode: VerifyMode
  /** Paths that are damaged; 0 for none. */
  readonly damaged: number
}

/** What verifications found of a backup, since it has had the files that describe it. */
export interface VerifiedMark {
  /** The last full one, whatever it found. */
  readonly full: Verification | null
  /** The last one that found damage, if no full one found the backup whole after it. */
  readonly damage: Verification | null
}

const NOTHING_KNOWN: VerifiedMark = { full: null, damage: null }

/** What is known of a backup. A mark of other files under the same name says nothing. */
export async function readMark(place: BackupPlace): Promise<VerifiedMark> {
  const record = await readRecord(pathOf(place))
  if (record === null || record['tagmanifest_sha256'] !== (await seal(place))) return NOTHING_KNOWN
  return { full: verificationIn(record['full']), damage: verificationIn(record['damage']) }
}

/**
 * Records a verification. A sample or a fast one that finds nothing wrong proves little and changes nothing; damage is damage,
 * however it was found. Whether there was anything to record.
 */
export async function recordVerification(place: BackupPlace, verification: Verification): Promise<boolean> {
  const isWhole = verification.damaged === 0
  if (isWhole && verification.mode !== 'full') return false
  const mark = await readMark(place)
  await writeRecord(pathOf(place), {
    ...{ backup: place.name, tagmanifest_sha256: await seal(place) },
    full: verification.mode === 'full' ? verification : mark.full,
    damage: isWhole ? null : verification,
  })
  return true
}

export async function removeMark(place: BackupPlace): Promise<void> {
  await rm(pathOf(place), { force: true })
}

function pathOf({ directory, name }: BackupPlace): string {
  return recordPath(directory, 'verified', `${name}.json`)
}

/** The digest of the file that vouches for all others; `null` where it cannot be read. */
async function seal({ directory, name }: BackupPlace): Promise<string | null> {
  const bytes = await readFile(join(directory, name, BAG_FILES.tagManifest)).catch(() => null)
  return bytes === null ? null : hash('sha256', bytes)
}

function verificationIn(value: unknown): Verification | null {
  if (typeof value !== 'object' || value === null) return null
  const { at, mode, damaged } = value as Record<string, unknown> // an object: its fields are checked here
  const isKnown = mode === 'full' || mode === 'sample' || mode === 'fast'
  if (!isKnown || typeof at !== 'string' || Number.isNaN(Date.parse(at)) || typeof damaged !== 'number') return null
  return { at, mode, damaged }
}
