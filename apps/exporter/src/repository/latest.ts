import { join } from 'node:path'
import {
  type Coverage,
  lackOf,
  mayBeOfOneService,
  ofAnother,
  readLatest,
  readManifestFacts,
  serviceOf,
} from '@collab-etl/backups'
import { checkTags } from '@collab-etl/bagit'

/** Why `latest` was not pointed at a backup. */
export interface NotLatest {
  /** The backup that `latest` points to. */
  readonly latest: string
  /** What the new backup lacks, for a person. */
  readonly lack: string
}

/**
 * Compares a backup with the one that `latest` points to; `null` if it covers that one, or that one cannot be read. A backup of another
 * service never takes its place, even if it is damaged.
 */
export async function lessThanLatest(directory: string, name: string): Promise<NotLatest | null> {
  const latest = await readLatest(directory)
  if (latest === null || latest === name) return null
  const [theirService, ownService] = [await serviceOf(join(directory, latest)), await serviceOf(join(directory, name))]
  if (!mayBeOfOneService(theirService, ownService)) return { latest, lack: ofAnother(ownService) }
  const [theirs, own] = [await coverageOf(join(directory, latest)), await coverageOf(join(directory, name))]
  const lack = theirs && own && lackOf(own, theirs)
  return lack === null ? null : { latest, lack }
}

/** `null` if the backup is gone or the files that describe it are damaged. */
async function coverageOf(bag: string): Promise<Coverage | null> {
  const [damage] = await checkTags(bag)
  return damage ? null : ((await readManifestFacts(bag))?.coverage ?? null)
}
