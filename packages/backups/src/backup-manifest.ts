import { join } from 'node:path'
import { linesOf, OWN_MANIFEST } from '@collab-etl/bagit'
import type { AcceptedFailure } from '@collab-etl/contract/streams'

/** Path of the backup manifest in a backup. */
export const BACKUP_MANIFEST = OWN_MANIFEST

/** Version of the layout of a backup, raised when earlier programs would misread it. */
export const LAYOUT_VERSION = 1

/** A project in a backup manifest. */
export interface BackupProject {
  readonly pid: string
  readonly name: string | null
  readonly folder: string | null
  /** Directory of its JSON lines, relative to `data/`. */
  readonly jsonl?: { readonly folder: string; readonly counts?: Readonly<Record<string, number>> }
  readonly counts?: Readonly<Record<string, number>>
  /** Since when it was missing from the list of projects, and the team whose list alone showed it; absent if neither. */
  readonly unlisted_since?: string
  readonly only_in_team?: string
  /** The account that read it, if the accounts have names. */
  readonly account?: string
}

/** An account in a backup manifest. */
export interface BackupAccount {
  readonly account: string
  readonly uid: string | null
  readonly name: string | null
  readonly projects: number | null
}

/** The beginning of a backup manifest, up to its scopes. */
export interface BackupManifest {
  /** Version of the layout; see `LAYOUT_VERSION`. */
  readonly layout?: number
  readonly formats: readonly string[]
  /** Kinds of content that it holds. Missing in backups of earlier versions. */
  readonly content?: readonly string[]
  /** `null` without CSV. */
  readonly csv: { readonly raw_cells?: boolean; readonly delimiter?: string; readonly defused?: number } | null
  /** Missing in backups of earlier versions. */
  readonly coverage?: { readonly projects: 'all' | readonly string[] }
  /** The status of each scope; `pid` is `null` for the list of projects. */
  readonly scopes?: readonly {
    readonly pid: string | null
    readonly stream: string
    readonly status: string
    readonly error?: { readonly code: string } | null
    /** Present if all that is missing from the scope was accepted. */
    readonly accepted?: readonly AcceptedFailure[]
  }[]
  /** The token's owner; of an account without a name. */
  readonly account?: { readonly uid: string; readonly name: string | null }
  /** Accounts with names, and how many projects each listed; absent if there was only one without. */
  readonly accounts?: readonly BackupAccount[]
  readonly posts?: string
  /** The runs that read it, if they were several. */
  readonly runs?: readonly { readonly run_id: string; readonly started_at: string }[]
  /** The format from which a warehouse can be rebuilt; `null`: none. Missing in backups of earlier versions, as `tables` is. */
  readonly rebuild?: string | null
  /** Of each table whose rows it holds: their number and a hash, as `TableSums` of the warehouse adds it up. */
  readonly tables?: Readonly<Record<string, { readonly rows: number; readonly hash: string }>>
  readonly names?: unknown
  readonly links?: unknown
  /** `one` if its Markdown has a file for each task. */
  readonly task_files?: unknown
  readonly projects: readonly BackupProject[]
}

/**
 * Reads the manifest of a backup up to its scopes, because the list of conversion issues after them may be long. Returns `null`
 * for JSON that is not a backup manifest; throws if the file cannot be read or is not JSON.
 */
export async function readBackupManifest(bag: string): Promise<BackupManifest | null> {
  let text = ''
  let isInScopes = false
  for await (const line of linesOf(join(bag, BACKUP_MANIFEST))) {
    text += line
    isInScopes ||= line.startsWith('"scopes": [')
    if (!isInScopes || !/^(?:"scopes": \[)?\],?\s*$/.test(line)) continue
    text = text.replace(/,?\s*$/, '}')
    break
  }
  const value: unknown = JSON.parse(text)
  return isManifest(value) ? value : null
}

/** A list after the scopes, such as `losses`, item by item; none if the manifest lacks it. */
export async function* readManifestList(bag: string, name: string): AsyncGenerator<unknown, void, undefined> {
  let isInList = false
  for await (const line of linesOf(join(bag, BACKUP_MANIFEST))) {
    if (isInList && line.startsWith(']')) return
    if (isInList) yield JSON.parse(line.replace(/,\s*$/, ''))
    else isInList = line === `"${name}": [` || line === `"${name}": [\n`
  }
}

function isManifest(value: unknown): value is BackupManifest {
  if (typeof value !== 'object' || value === null || !('formats' in value) || !('projects' in value)) return false
  return Array.isArray(value.formats) && Array.isArray(value.projects)
}
