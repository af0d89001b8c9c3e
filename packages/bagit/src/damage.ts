import { NOT_A_FILE } from './plain-file.ts'

/**
 * What is wrong with a file of a backup.
 * - `missing`: named by a manifest, but does not exist
 * - `extra`: exists, but no manifest names it
 * - `truncated`: shorter than when it was written
 * - `changed`: other bytes than were written, or no longer a plain file
 * - `malformed`: a tag file with invalid contents
 * - `unreadable`: cannot be read
 */
type DamageKind = 'missing' | 'extra' | 'truncated' | 'changed' | 'malformed' | 'unreadable'

/** What is wrong with one file of a bag. */
export interface Damage {
  readonly kind: DamageKind
  /** Relative to the backup. */
  readonly path: string
  /** Details, where the kind is not enough. */
  readonly detail: string | null
}

/** Orders damage by path, compared by UTF-8 bytes. */
export function byPath(a: Damage, b: Damage): number {
  return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))
}

/** Damage of a file whose place is taken by a link, a directory or the like. */
export function notAFile(path: string): Damage {
  return { kind: 'changed', path, detail: 'is no longer a plain file' }
}

/** Failures of this machine, not of the bag. */
const NO_DAMAGE: readonly string[] = ['EMFILE', 'ENFILE', 'ENOMEM']

/**
 * The damage that an error in reading a file means.
 * @throws the error itself, if it says nothing about the file
 */
export function unreadable(path: string, error: unknown): Damage {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  if (NO_DAMAGE.includes(code)) throw error
  if (code === NOT_A_FILE) return notAFile(path)
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? { kind: 'missing', path, detail: null }
    : { kind: 'unreadable', path, detail: code }
}
