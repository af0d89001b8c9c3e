import { CONTENT, type Content, streamsNeeded } from './content.ts'
import { mayBeOfOneService } from './service-of.ts'

/** What a backup covers, according to its own files. */
export interface Coverage {
  /** Requested projects; `null`: all that the service listed. */
  readonly projects: ReadonlySet<string> | null
  readonly formats: readonly string[]
  /** Kinds of content that it holds. */
  readonly content: ReadonlySet<Content>
  /** Projects that it contains, without those that the token may not read. */
  readonly held: ReadonlySet<string>
  /**
   * Streams that were not read completely, by project; `null` is the list of projects. Without those of `accepted`, which do not count against a
   * backup.
   */
  readonly missing: ReadonlyMap<string | null, ReadonlySet<string>>
  /** Streams that lack accepted failures only, by project. */
  readonly accepted: ReadonlyMap<string | null, ReadonlySet<string>>
  /** Address of the service; `null` if unknown. */
  readonly baseUrl: string | null
  /** When its oldest data was read; `null` if unknown. */
  readonly readAt: Date | null
  /** When it was begun: it holds at least the state of that time. `null` if unknown. */
  readonly begunAt: Date | null
  /** The time of `--as-of`; `null`: the state when it was made. */
  readonly asOf: Date | null
}

/** Whether `a` covers everything that `b` was made for and holds, as of the same time or a later one. */
export function covers(a: Coverage, b: Coverage): boolean {
  return lackOf(a, b) === null
}

/**
 * Why `a` does not cover `b`, for a person; `null` if it does. `a` covers `b` if it is of the same service, has every format of `b`, every
 * kind of its content and every project that `b` was made for, does not hold an earlier state, and has complete every stream that `b`
 * depends on and that is complete in `b`, in the projects that `b` holds.
 */
export function lackOf(a: Coverage, b: Coverage): string | null {
  if (!mayBeOfOneService(a.baseUrl, b.baseUrl)) return ofAnother(a.baseUrl)
  const formats = b.formats.filter((format) => !a.formats.includes(format))
  if (formats.length > 0) return `it has no ${formats.join(', ')}`
  const content = CONTENT.filter((kind) => b.content.has(kind) && !a.content.has(kind))
  if (content.length > 0) return `it was made without ${content.join(', ')}`
  const stateAt = b.asOf ?? b.begunAt ?? b.readAt
  if (a.asOf !== null && stateAt !== null && a.asOf < stateAt) return `it holds the state of ${a.asOf.toISOString()}`
  return lackOfProjects(a, b) ?? lackOfStreams(a, b)
}

/** Why a backup of another service does not cover, for a person. */
export function ofAnother(service: string | null): string {
  return `it is of another service, ${service}`
}

function lackOfProjects(a: Coverage, b: Coverage): string | null {
  if (a.projects === null) return null
  if (b.projects === null) return 'it was made for some projects only'
  const { projects } = a
  const lacking = [...b.projects].find((pid) => !projects.has(pid))
  return lacking === undefined ? null : `it was made without project ${lacking}`
}

function lackOfStreams(a: Coverage, b: Coverage): string | null {
  const needed = new Set<string>(streamsNeeded(b.formats, b.content))
  for (const [pid, streams] of a.missing) {
    // `b` does not have a project that is new in `a` either.
    if (pid !== null && !b.held.has(pid)) continue
    const theirs = b.missing.get(pid)
    const stream = [...streams].find((name) => needed.has(name) && theirs?.has(name) !== true)
    if (stream === undefined) continue
    if (pid === null) return `the list of ${stream} was not read`
    return `${stream} of project ${pid} were not read completely`
  }
  return null
}
