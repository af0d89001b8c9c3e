import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BAG_FILES, readSmallFile, type Sample } from '@collab-etl/bagit'
import { type BackupPlace, readRecord, recordPath, writeRecord } from './records.ts'

/** How much of a backup was verified. */
export type VerifyMode = 'full' | 'sample' | 'fast'

/** The outcome of a verification. */
interface Verification {
  /** ISO 8601. */
  readonly at: string
  readonly mode: VerifyMode
  /** Number of damaged files. */
  readonly damaged: number
}

/** Results of the verifications of a backup with its current tag files. */
export interface VerifiedMark {
  /** The last full verification, with any result. */
  readonly full: Verification | null
  /** The last verification that found damage, unless a later full one found none. */
  readonly damage: Verification | null
}

const NOTHING_KNOWN: VerifiedMark = { full: null, damage: null }

/** Reads the results for a backup. Results of another backup with the same name are ignored. */
export async function readMark(place: BackupPlace): Promise<VerifiedMark> {
  const record = await readRecord(pathOf(place))
  if (record === null || record['tagmanifest_sha256'] !== (await seal(place))) return NOTHING_KNOWN
  return { full: verificationIn(record['full']), damage: verificationIn(record['damage']) }
}

/**
 * Records a verification. Returns whether it was recorded: a sample or fast verification without damage proves too little, while damage
 * is always recorded.
 */
export async function recordVerification(place: BackupPlace, verification: Verification): Promise<boolean> {
  const isWhole = verification.damaged === 0
  if (isWhole && verification.mode !== 'full') return false
  const mark = await readMark(place)
  await writeRecord(pathOf(place), {
    backup: place.name,
    tagmanifest_sha256: await seal(place),
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

/** The digest of the tag manifest, which covers all other files; `null` if it cannot be read. */
async function seal({ directory, name }: BackupPlace): Promise<string | null> {
  const bytes = await readSmallFile(join(directory, name, BAG_FILES.tagManifest)).catch(() => null)
  return bytes === null ? null : hash('sha256', bytes)
}

function verificationIn(value: unknown): Verification | null {
  if (typeof value !== 'object' || value === null) return null
  const { at, mode, damaged } = value as Record<string, unknown> // an object: its fields are checked here
  const isKnown = mode === 'full' || mode === 'sample' || mode === 'fast'
  if (!isKnown || typeof at !== 'string' || Number.isNaN(Date.parse(at)) || typeof damaged !== 'number') return null
  return { at, mode, damaged }
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The next part to verify. A repository counts the parts, so that a missed night skips none; without a repository (`null`) the day
 * selects the part.
 */
export async function sampleOf(directory: string | null, of: number, now: Date): Promise<Sample> {
  const turn = directory === null ? null : (await readRecord(turnsPath(directory)))?.[of]
  if (typeof turn === 'number' && Number.isSafeInteger(turn) && turn >= 0) return { part: turn % of, of }
  return { part: directory === null ? Math.floor(now.getTime() / DAY_MS) % of : 0, of }
}

/** Advances the counter after a part was verified. */
export async function passTurn(directory: string, { part, of }: Sample): Promise<void> {
  const turns = await readRecord(turnsPath(directory))
  await writeRecord(turnsPath(directory), { ...turns, [of]: (part + 1) % of })
}

function turnsPath(directory: string): string {
  return recordPath(directory, 'sample-turns.json')
}
