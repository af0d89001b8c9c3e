import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { isWhole } from '@collab-etl/contract/streams'
import { contentOf, streamsOf } from '../content.ts'
import type { BackupReader } from '../read/backup-reader.ts'
import type { RecordFilter } from './pair.ts'
import { contentOfKind, RECORD_KINDS, type RecordKind } from './record.ts'

/** Records that were not compared, and why. */
export interface LeftOut {
  /** `null`: all projects. */
  readonly pid: string | null
  readonly kind: RecordKind
  /** The backup that does not cover these records. */
  readonly not_in: 'before' | 'after' | 'both'
  /**
   * - `unread`: requested, but not read completely
   * - `not_asked`: the backup was made without the project
   * - `not_found`: posts and files are discovered in other records, and the backup was read from the service without all of them
   * - `not_held`: the kind is not in a format that both backups have; `not_in` names the backup that does not hold it at all
   */
  readonly why: 'unread' | 'not_asked' | 'not_found' | 'not_held'
}

/** The reasons for which records are not compared, for a person. */
export const WHY_LEFT_OUT: Readonly<Record<LeftOut['why'], string>> = {
  unread: 'not everything was read to its end',
  not_asked: 'it was made without this project',
  not_found: 'posts and files are found in other records, and it lacks some of them',
  not_held: 'a kind is compared if both backups have it in the same format',
}

interface CommonCoverage {
  /** Whether both backups cover these records. */
  readonly filter: RecordFilter
  /** First kinds that are left out as a whole, then in order of project. */
  readonly leftOut: readonly LeftOut[]
  /** Whether the backups contain projects but cover no records in common. */
  readonly isEmpty: boolean
}

/**
 * The records that both backups cover. Others would appear as added or removed.
 * @param kinds those that both hold in the format that is compared
 * @param pids only these projects; `null`: all
 */
export function commonCoverage(
  [a, b]: readonly [BackupReader, BackupReader],
  kinds: readonly RecordKind[],
  pids: ReadonlySet<string> | null,
): CommonCoverage {
  const [before, after] = [reasonsOf(a), reasonsOf(b)]
  const reasons = (pid: string, kind: RecordKind) => {
    const [left, right] = [before.own(pid, kind), after.own(pid, kind)]
    if (!DISCOVERED.has(kind) || before.texts === after.texts) return [left, right] as const
    return [left ?? before.ofPosts, right ?? after.ofPosts] as const
  }
  const isAsked = (pid: string) => pids === null || pids.has(pid)
  const held = [a, b].flatMap(({ manifest }) => manifest.projects.map(({ pid }) => pid))
  const compared = [...new Set(held)].filter(isAsked).sort(compareBytes)
  const leftOut = compared.flatMap((pid) =>
    kinds.flatMap((kind): LeftOut[] => {
      // If both searched the same texts for posts and files, these can be compared.
      const [left, right] = reasons(pid, kind)
      const why = left ?? right
      if (why === null) return []
      return [{ pid, kind, not_in: left && right ? 'both' : left ? 'before' : 'after', why }]
    }),
  )
  return {
    filter: (pid, kind) =>
      kinds.includes(kind) && isAsked(pid) && reasons(pid, kind).every((reason) => reason === null),
    leftOut: [...RECORD_KINDS.flatMap((kind) => (kinds.includes(kind) ? [] : notHeld(kind, a, b))), ...leftOut],
    isEmpty: compared.length > 0 && leftOut.length === compared.length * kinds.length,
  }
}

/** Why a kind is not compared; empty if neither backup holds it. */
function notHeld(kind: RecordKind, a: BackupReader, b: BackupReader): LeftOut[] {
  const [before, after] = [a, b].map(({ manifest }) => contentOf(manifest).has(contentOfKind(kind)))
  if (!before && !after) return []
  return [{ pid: null, kind, not_in: before && after ? 'both' : before ? 'after' : 'before', why: 'not_held' }]
}

/** Kinds whose records are discovered in other records, because the service does not list them. */
const DISCOVERED: ReadonlySet<RecordKind> = new Set(['post', 'file'])

type Reason = LeftOut['why'] | null

/** Why a backup does not cover records; `null` if it does. */
interface Reasons {
  readonly own: (pid: string, kind: RecordKind) => Reason
  /** The same for all its posts and files, which are discovered in the texts of the backup. */
  readonly ofPosts: Reason
  /** Identifies the texts in which they were discovered; a warehouse keeps the posts and files of all runs. */
  readonly texts: string
}

function reasonsOf({ manifest, source }: BackupReader): Reasons {
  const { coverage, scopes = [] } = manifest
  const asked = coverage === undefined || coverage.projects === 'all' ? null : new Set(coverage.projects)
  const unread = new Set(scopes.filter((scope) => !isWhole(scope)).map(({ pid, stream }) => keyOf(pid, stream)))
  const known = new Set(scopes.map(({ pid, stream }) => keyOf(pid, stream)))
  const ofPosts = source !== 'api' ? null : unread.size > 0 ? 'unread' : asked ? 'not_found' : null
  return {
    own: (pid, kind) => {
      if (asked !== null && !asked.has(pid)) return 'not_asked'
      const streams = streamsOf(contentOfKind(kind)).map((stream) => keyOf(pid, stream))
      if (streams.some((stream) => unread.has(stream))) return 'unread'
      // A project that could not be read has only this scope.
      return unread.has(keyOf(pid, 'projects')) && !streams.some((stream) => known.has(stream)) ? 'unread' : null
    },
    ofPosts,
    texts: ofPosts === null ? '' : JSON.stringify([asked && [...asked], [...unread]]),
  }
}

function keyOf(pid: string | null, stream: string): string {
  return `${stream} ${pid ?? ''}`
}
