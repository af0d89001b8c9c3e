import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, realpath, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { flushFolder } from '@collab-etl/bagit'
import { ifExists } from '@collab-etl/lock'
import { CONTENT, type Content } from '../content.ts'
import type { Coverage } from '../coverage.ts'
import { BACKUP_NAME, timeOfBackup } from '../locate.ts'
import { readManifestFacts } from '../manifest-facts.ts'
import { ARCHIVE_NAME } from './list-backups.ts'
import type { Policy } from './policy.ts'
import { backupPlaceOf, readRecord, recordPath, writeRecord } from './records.ts'
import type { Removed } from './remove-backups.ts'
import { type Decision, decide } from './retention.ts'
import { readMark } from './verified-mark.ts'

// The archives that were written of the backups of a repository, wherever they are. A name alone does not show it: a directory may hold
// the archives of several machines.

/** An archive on record. */
export interface ListedArchive {
  /** Name of the file. */
  readonly name: string
  /** Absolute, without symbolic links. */
  readonly path: string
  readonly begun: Date
  readonly bytes: number
  readonly sha256: string
  /** Whether the file is there, with its size. */
  readonly isThere: boolean
  /** ISO 8601. */
  readonly writtenAt: string
  /** ISO 8601; `null`: its bytes were not compared since they were written. */
  readonly verifiedAt: string | null
  /** Whether it was reported that the file is not there. */
  readonly isReported: boolean
  /** Whether the last verification found other bytes than those that were written. */
  readonly isDamaged: boolean
  /** What the backup covered; `null` if unknown. */
  readonly manifest: { readonly coverage: Coverage } | null
}

/**
 * Records that an archive of a backup was written, so that it can be removed and verified later.
 * @returns whether it was: the backup must be in a repository, and the archive have its name
 */
export async function recordArchive(
  bag: string,
  { path, bytes, sha256 }: Pick<ListedArchive, 'path' | 'bytes' | 'sha256'>,
): Promise<boolean> {
  const place = await backupPlaceOf(bag)
  if (place === null || ARCHIVE_NAME.exec(basename(path))?.[1] !== place.name) return false
  const real = join(await realpath(dirname(path)), basename(path))
  const coverage = (await readManifestFacts(bag))?.coverage ?? null
  const writtenAt = new Date().toISOString()
  const record = { path: real, bytes, sha256, writtenAt, coverage: coverage && coverageOut(coverage) }
  await writeRecord(pathOf(place.directory, real), record)
  return true
}

/** The archives on record that belong into a directory, the oldest first. */
export async function listArchives(repository: string, directory: string): Promise<ListedArchive[]> {
  const within = await realpath(directory)
  const listed = (await archivesOnRecord(repository)).filter(({ path }) => dirname(path) === within)
  const found = listed.map(async (archive) => ({ ...archive, isThere: await isThere(archive) }))
  return (await Promise.all(found)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function archivesOnRecord(repository: string): Promise<Omit<ListedArchive, 'isThere'>[]> {
  const folder = recordPath(repository, 'archives')
  const files = (await ifExists(readdir(folder))) ?? []
  const records = await Promise.all(files.map(async (file) => archiveIn(await readRecord(join(folder, file)))))
  return records.filter((archive) => archive !== null)
}

/** Names of the backups and archives that are there, and that the last verification of all their bytes, or a later one, found damaged. */
export async function damagedCopies(repository: string): Promise<string[]> {
  const backups = (await readdir(repository)).filter((name) => BACKUP_NAME.test(name)).sort()
  const marks = backups.map(async (name) => ((await readMark({ directory: repository, name })).damage ? [name] : []))
  const archives = (await archivesOnRecord(repository)).filter(({ isDamaged }) => isDamaged)
  const files = archives.map(async ({ name, path }) => ((await ifExists(lstat(path))) ? [name] : []))
  return (await Promise.all([...marks, ...files])).flat()
}

/** Names of archives in a directory that are not on record: of another machine, or of backups whose disk was changed. They are never removed. */
export async function archivesOffRecord(directory: string, onRecord: readonly ListedArchive[]): Promise<string[]> {
  const known = new Set(onRecord.map(({ name }) => name))
  return (await readdir(directory)).filter((name) => ARCHIVE_NAME.test(name) && !known.has(name)).sort()
}

/**
 * Records which archives are gone, so that each is reported once. The record of one that no rule would keep goes as well.
 * @returns those that were not reported before
 */
export async function noteGone(
  repository: string,
  policy: Policy,
  archives: readonly ListedArchive[],
  now: Date,
): Promise<ListedArchive[]> {
  const all = decideArchives(
    policy,
    archives.map((archive) => ({ ...archive, isThere: true })),
    now,
  )
  const outdated = new Set(all.flatMap(({ backup, action }) => (action === 'remove' ? [backup.path] : [])))
  for (const { path, isThere, isReported } of archives) {
    const record = pathOf(repository, path)
    if (outdated.has(path)) await (isThere ? null : rm(record, { force: true }))
    // one that is there again is reported again when it goes
    else if (isReported === isThere) await writeRecord(record, { ...(await readRecord(record)), isReported: !isThere })
  }
  return archives.filter(({ isThere, isReported }) => !isThere && !isReported)
}

/** What a policy decides about the archives that are there. The one that was written last is always kept. */
export function decideArchives(
  policy: Policy,
  archives: readonly ListedArchive[],
  now: Date,
): (Decision & { readonly backup: ListedArchive & { readonly state: 'damaged' | 'verified' | 'unverified' } })[] {
  const last = archives.toSorted((a, b) => (a.writtenAt < b.writtenAt ? -1 : 1)).at(-1)
  const listed = archives
    .filter((archive) => archive.isThere)
    .map((archive) => ({
      ...archive,
      // a verification in turn keeps none
      state: archive.isDamaged ? ('damaged' as const) : ('unverified' as const),
      isLatest: false,
    }))
  return decide(policy, listed, now).map((decision) => {
    const { verifiedAt, state: decided, path } = decision.backup
    const state = decided === 'unverified' && verifiedAt !== null ? ('verified' as const) : decided
    const shown = { ...decision, backup: { ...decision.backup, state } }
    return path === last?.path
      ? { ...shown, action: 'keep', reasons: ['last written', ...reasonsToKeep(decision)] }
      : shown
  })
}

function reasonsToKeep({ action, reasons }: Decision): readonly string[] {
  return action === 'keep' ? reasons : []
}

/**
 * Compares the bytes of an archive with the digest that is on record since it was written. No key is needed for an encrypted one.
 * @returns whether they are the same; `null` if there is no such file
 */
export async function isAsWritten({ path, sha256 }: ListedArchive, signal: AbortSignal): Promise<boolean | null> {
  const digest = createHash('sha256')
  const found = await ifExists(lstat(path))
  if (found?.isFile() !== true) return null
  for await (const chunk of createReadStream(path, { signal })) digest.update(chunk as Buffer)
  return digest.digest('hex') === sha256
}

/** Records the verification of an archive. */
export async function recordArchiveVerification(
  repository: string,
  { path }: ListedArchive,
  verification: { readonly verifiedAt: string; readonly isDamaged: boolean },
): Promise<void> {
  const record = pathOf(repository, path)
  await writeRecord(record, { ...(await readRecord(record)), ...verification })
}

/** Removes an archive and its record. @returns `null` if another file has its name by now, which stays */
export async function removeArchive(repository: string, archive: ListedArchive): Promise<Removed | null> {
  if (!(await isThere(archive))) return null
  await unlink(archive.path)
  await flushFolder(dirname(archive.path))
  await rm(pathOf(repository, archive.path), { force: true })
  return { name: archive.name, freed: { bytes: archive.bytes, files: 1 } }
}

function pathOf(repository: string, path: string): string {
  return recordPath(repository, 'archives', `${hash('sha256', path).slice(0, 32)}.json`)
}

async function isThere({ path, bytes }: Pick<ListedArchive, 'path' | 'bytes'>): Promise<boolean> {
  const found = await ifExists(lstat(path))
  return found?.isFile() === true && found.size === bytes
}

type Parsed = Readonly<Record<string, unknown>>

/** The archive of a record; `null` if it is none of ours. */
function archiveIn(record: Parsed | null): Omit<ListedArchive, 'isThere'> | null {
  const { path, bytes, sha256, writtenAt, verifiedAt, isDamaged, isReported, coverage } = record ?? {}
  if (typeof path !== 'string' || typeof bytes !== 'number') return null
  if (typeof sha256 !== 'string' || typeof writtenAt !== 'string') return null
  const name = basename(path)
  const begun = timeOfBackup(ARCHIVE_NAME.exec(name)?.[1] ?? '')
  if (begun === null) return null
  const isKnown = typeof coverage === 'object' && coverage !== null
  const manifest = isKnown ? { coverage: coverageIn(coverage as Parsed) } : null // an object, as just checked
  const verification = { verifiedAt: typeof verifiedAt === 'string' ? verifiedAt : null, isDamaged: isDamaged === true }
  return { name, path, begun, bytes, sha256, writtenAt, isReported: isReported === true, ...verification, manifest }
}

/** Without sets: vega-lite, where it is loaded, gives them a JSON of its own. */
function coverageOut({ projects, content, held, missing, accepted, ...rest }: Coverage) {
  const lists = (streams: Coverage['missing']) => [...streams].map(([pid, names]) => [pid, [...names]])
  const sets = { projects: projects && [...projects], content: [...content], held: [...held] }
  return { ...rest, ...sets, missing: lists(missing), accepted: lists(accepted) }
}

/** The coverage that `recordArchive` wrote. */
function coverageIn(written: Parsed): Coverage {
  const { projects, formats, content, held, missing, accepted, baseUrl, readAt, begunAt, asOf } = written
  const date = (value: unknown) => (typeof value === 'string' ? new Date(value) : null)
  const kinds = new Set(texts(content))
  return {
    projects: projects === null ? null : new Set(texts(projects)),
    formats: texts(formats),
    content: new Set(CONTENT.filter((kind: Content) => kinds.has(kind))),
    held: new Set(texts(held)),
    missing: streamsIn(missing),
    accepted: streamsIn(accepted),
    baseUrl: typeof baseUrl === 'string' ? baseUrl : null,
    readAt: date(readAt),
    begunAt: date(begunAt),
    asOf: date(asOf),
  }
}

/** Streams by project. */
function streamsIn(value: unknown): Coverage['missing'] {
  return new Map(Array.isArray(value) ? value.map(([pid, streams]) => [pid, new Set(texts(streams))]) : [])
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
