import { hash } from 'node:crypto'

/** One part of several into which the files of a bag fall. */
export interface Sample {
  /** From 0. */
  readonly part: number
  readonly of: number
}

/**
 * Whether a file is of the part. Goes by its path alone: the parts are the same for each backup that holds the file, so
 * that turns over nightly backups come by all of them.
 */
export function isInSample(path: string, { part, of }: Sample): boolean {
  return Number.parseInt(hash('sha256', path).slice(0, 12), 16) % of === part
}
