import { hash } from 'node:crypto'

/** One part of several into which the files of a bag fall. */
export interface Sample {
  /** From 0. */
  readonly part: number
  readonly of: number
}

/**
 * Whether a file is in the part. Depends on its path only: a file is in the same part in every backup, so
 * that one part a night covers all files in N nights.
 */
export function isInSample(path: string, { part, of }: Sample): boolean {
  return Number.parseInt(hash('sha256', path).slice(0, 12), 16) % of === part
}
