import { randomBytes } from 'node:crypto'
import { appendFile, lstat, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deniedError } from '@collab-etl/cli'
import { ifExists, isDiskFull, keepOwner, makeDirectory, replaceFile } from '@collab-etl/lock'
import type { Night } from '@collab-etl/observability'

/** Beside the backups: `prune` and `list` ignore it, as they recognise backups by their names. */
const DIRECTORY = '.collab-nightly'

/** Space for the record when the disk is full: otherwise that night would be missing, and the one before it look like the last. */
const RESERVE = { name: 'reserve', bytes: 128 * 1024 }

/** File systems allocate whole blocks: more than two of the usual size. */
const BLOCKS = 12 * 1024

/** Number of nights that are kept: two years. */
const MOST_NIGHTS = 731

/** Directory of the record in a directory of backups. */
export function recordDirectory(out: string): string {
  return join(out, DIRECTORY)
}

/** Path of the record of runs in a directory of backups. */
export function recordPath(out: string): string {
  return join(recordDirectory(out), 'record.jsonl')
}

/** Whether there is, or should be, a backup of an earlier night. */
export async function hasEarlierBackup(out: string): Promise<boolean> {
  const isThere = await lstat(join(out, 'latest'))
    .then(() => true)
    .catch(() => false)
  if (isThere) return true
  const nights = await readNights(out).catch(() => null)
  // if the record cannot be read, verification finds out
  return nights === null || nights.some(({ backup }) => backup !== null)
}

/**
 * The nights on record, the oldest first; of a night that was added again, the later line. Lines that a crash cut off, or that do not hold a
 * night, are ignored.
 * @throws CliError if this user may not read it
 */
export async function readNights(out: string): Promise<Night[]> {
  const text = (await ifExists(readFile(recordPath(out), 'utf8')).catch(named)) ?? ''
  const nights = new Map<string, Night>()
  for (const line of text.split('\n')) {
    const night = nightIn(line)
    if (night === null) continue
    nights.set(`${night.started_at} ${night.host}`, night)
  }
  return [...nights.values()]
}

/** Names the user who may read what this one may not. */
function named(error: unknown): never {
  throw deniedError(error) ?? error
}

/**
 * Adds a night to the record, or replaces its entry. Removes the oldest one if there are more than `MOST_NIGHTS`. On a full disk, the
 * reserve makes room.
 */
export async function addNight(out: string, night: Night): Promise<void> {
  const reserve = join(recordDirectory(out), RESERVE.name)
  try {
    await writeNight(out, night)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    // only as much as one night takes: the disk may be full for many
    const size = await stat(reserve)
      .then((of) => of.size)
      .catch(() => 0)
    const taken = Buffer.byteLength(JSON.stringify(night)) + BLOCKS
    if (size > 0) await truncate(reserve, Math.max(0, size - taken))
    await writeNight(out, night)
    return
  }
  const has = await stat(reserve).catch(() => null)
  if (has?.size === RESERVE.bytes) return
  // zeros would take no space on some file systems
  await writeFile(reserve, randomBytes(RESERVE.bytes), { mode: 0o600 }).catch(() => rm(reserve, { force: true }))
  keepOwner(reserve)
}

async function writeNight(out: string, night: Night): Promise<void> {
  const path = recordPath(out)
  makeDirectory(dirname(path), 0o700)
  const nights = await readNights(out)
  const line = `${JSON.stringify(night)}\n`
  const text = await readFile(path, 'utf8').catch(() => '')
  if (nights.length < MOST_NIGHTS && (text === '' || text.endsWith('\n'))) {
    const size = text === '' ? 0 : (await stat(path)).size
    await appendFile(path, line, { mode: 0o600, flush: true }).catch(async (error: unknown) => {
      await truncate(path, size).catch(() => {}) // half a line is ignored anyway
      throw error
    })
    keepOwner(path)
    return
  }
  const kept = nights.slice(1 - MOST_NIGHTS).map((old) => `${JSON.stringify(old)}\n`)
  await replaceFile(path, [...kept, line].join(''), 0o600)
}

function nightIn(line: string): Night | null {
  try {
    const value: unknown = JSON.parse(line)
    return isNight(value) ? value : null
  } catch {
    return null
  }
}

/** Whether this program wrote a value. Checks only the fields that `status` needs, as later versions may add others. */
function isNight(value: unknown): value is Night {
  if (typeof value !== 'object' || value === null) return false
  const { started_at: started, finished_at: finished, outcome, steps } = value as Partial<Night> // its fields are checked here
  const areTimes = [started, finished].every((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)))
  return (
    areTimes &&
    (outcome === 'whole' || outcome === 'partial' || outcome === 'failed') &&
    Array.isArray(steps) &&
    steps.every(isStep)
  )
}

function isStep(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && 'status' in value
}
