import { isMissing } from '@collab-etl/lock'
import { NOT_A_FILE } from './plain-file.ts'

/**
 * What is wrong with a file of a backup.
 * - `missing`: named by a manifest, but does not exist
 * - `extra`: exists, but no manifest names it
 * - `truncated`: shorter than when it was written
 * - `changed`: other bytes than were written, or no longer a plain file
 * - `malformed`: a tag file with invalid contents
 * - `unreadable`: cannot be read
 * - `denied`: this user may not read it, which says nothing about the file
 */
type DamageKind = 'missing' | 'extra' | 'truncated' | 'changed' | 'malformed' | 'unreadable' | 'denied'

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
  if (code === 'EACCES' || code === 'EPERM') return { kind: 'denied', path, detail: 'permission denied' }
  return isMissing(error) ? { kind: 'missing', path, detail: null } : { kind: 'unreadable', path, detail: code }
}

/**
 * Some copy programs and file systems change the Unicode form of names. Reports such a file once, instead of as one missing and one
 * additional file.
 */
export function withUnicodeForms(damage: readonly Damage[]): Damage[] {
  const extra = new Map<string, string>()
  for (const { kind, path } of damage) if (kind === 'extra') extra.set(path.normalize('NFC'), path)
  const renamed = new Set<string>()
  const shown = damage.map((found): Damage => {
    const other = found.kind === 'missing' ? extra.get(found.path.normalize('NFC')) : undefined
    if (other === undefined) return found
    renamed.add(other)
    const form = other === other.normalize('NFC') ? 'NFC' : 'NFD'
    return { ...found, detail: `its name is there in another Unicode form (${form})` }
  })
  return shown.filter(({ kind, path }) => kind !== 'extra' || !renamed.has(path))
}
