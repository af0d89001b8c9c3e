import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { isWhole } from '@collab-etl/contract/streams'
import type { OpenedBackup } from '../opened-backup.ts'
import type { RecordFilter } from './form.ts'
import type { RecordKind } from './record.ts'

const KINDS = ['page', 'post'] as const

/** Records that were not compared, and why. */
export interface LeftOut {
  readonly pid: string
  readonly kind: RecordKind
  /** The backup that does not cover these records. */
  readonly not_in: 'before' | 'after' | 'both'
  /**
   * - `unread`: requested, but not read completely
   * - `not_asked`: the backup was made without the project
   * - `not_found`: posts are discovered in texts, and the backup was read from the service without all of them
   */
  readonly why: 'unread' | 'not_asked' | 'not_found'
}

interface CommonCoverage {
  /** Whether both backups cover these records. */
  readonly filter: RecordFilter
  /** In order of project. */
  readonly leftOut: readonly LeftOut[]
  /** Whether the backups contain projects but cover no records in common. */
  readonly isEmpty: boolean
}

/** The records that both backups cover. Others would appear as added or removed. */
export function commonCoverage(a: OpenedBackup, b: OpenedBackup, pids: ReadonlySet<string> | null): CommonCoverage {
  const [before, after] = [reasonsOf(a), reasonsOf(b)]
  const reasons = (pid: string, kind: RecordKind) => {
    const [left, right] = [before.own(pid, kind), after.own(pid, kind)]
    if (kind === 'page' || before.texts === after.texts) return [left, right] as const
    return [left ?? before.ofPosts, right ?? after.ofPosts] as const
  }
  const isAsked = (pid: string) => pids === null || pids.has(pid)
  const held = [a, b].flatMap(({ manifest }) => manifest.projects.map(({ pid }) => pid))
  const compared = [...new Set(held)].filter(isAsked).sort(compareBytes)
  const leftOut = compared.flatMap((pid) =>
    KINDS.flatMap((kind): LeftOut[] => {
      // If both searched the same texts for posts, their posts can be compared.
      const [left, right] = reasons(pid, kind)
      const why = left ?? right
      if (why === null) return []
      return [{ pid, kind, not_in: left && right ? 'both' : left ? 'before' : 'after', why }]
    }),
  )
  return {
    filter: (pid, kind) => isAsked(pid) && reasons(pid, kind).every((reason) => reason === null),
    leftOut,
    isEmpty: compared.length > 0 && leftOut.length === compared.length * KINDS.length,
  }
}

type Reason = LeftOut['why'] | null

/** Why a backup does not cover records; `null` if it does. */
interface Reasons {
  readonly own: (pid: string, kind: RecordKind) => Reason
  /** The same for all its posts, which are discovered in the texts of the backup. */
  readonly ofPosts: Reason
  /** Identifies the texts in which its posts were discovered; a warehouse keeps the posts of all runs. */
  readonly texts: string
}

function reasonsOf({ manifest, source }: OpenedBackup): Reasons {
  const { coverage, scopes = [] } = manifest
  const asked = coverage === undefined || coverage.projects === 'all' ? null : new Set(coverage.projects)
  const unread = new Set(scopes.filter((scope) => !isWhole(scope)).map(({ pid, stream }) => keyOf(pid, stream)))
  const known = new Set(scopes.map(({ pid, stream }) => keyOf(pid, stream)))
  const ofPosts = source !== 'api' ? null : unread.size > 0 ? 'unread' : asked ? 'not_found' : null
  return {
    own: (pid, kind) => {
      if (asked !== null && !asked.has(pid)) return 'not_asked'
      if (unread.has(keyOf(pid, `${kind}s`))) return 'unread'
      // A project that could not be read has only this scope.
      return unread.has(keyOf(pid, 'projects')) && !known.has(keyOf(pid, `${kind}s`)) ? 'unread' : null
    },
    ofPosts,
    texts: ofPosts === null ? '' : JSON.stringify([asked && [...asked], [...unread]]),
  }
}

function keyOf(pid: string | null, stream: string): string {
  return `${stream} ${pid ?? ''}`
}
