import { parseIsoTime, UsageError } from '@collab-etl/cli'
import { type AcceptedFailure, STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { isAskableId } from '@collab-etl/core'
import { type Acceptance, parsePlace } from './accepted.ts'
import { parseMaxDuration, parseMaxRequests, parseRefresh } from './refresh-policy.ts'

/** The service takes 13-digit milliseconds only (docs/dev/service-api.md#ranges-of-time). */
const EARLIEST = new Date(1_000_000_000_000)
const LATEST = new Date(9_999_999_999_999)

/** Larger pages gain nothing: what a task costs outweighs what a request costs. */
const MAX_PAGE_SIZE = 1000

/** The flags of `snapshot`, as yargs has them, each with its check. */
export const SNAPSHOT_FLAGS = {
  project: { type: 'string', array: true, describe: 'PID…  only these projects; repeatable' },
  streams: {
    type: 'string',
    coerce: parseStreams,
    values: STREAMS,
    describe: `LIST  only these streams, of ${STREAMS.join(',')} [default: all]`,
  },
  'events-from': {
    type: 'string',
    coerce: (text: string) => eventsEdge(text, '--events-from', 'start'),
    describe: 'ISO  events from this day or time on [default: 2010-01-01]; not before 2001-09-09T01:46:40Z',
  },
  'events-to': {
    type: 'string',
    coerce: (text: string) => eventsEdge(text, '--events-to', 'end'),
    describe: 'ISO  events up to and including this day or time [default: two years ahead]',
  },
  'archived-page-size': {
    type: 'string',
    coerce: parsePageSize,
    describe: 'N  archived tasks per request [default: 100, a page of a few hundred kB]',
  },
  post: { type: 'string', array: true, coerce: parsePosts, describe: 'PID:POST_ID…  a post to read; repeatable' },
  'posts-file': { type: 'string', describe: 'FILE  CSV with the columns pid,post_id: posts to read' },
  'max-shrink': {
    type: 'string',
    coerce: parseFraction,
    describe:
      'FRACTION  largest share of the rows of a scope that one run may mark deleted [default: 0.5; a larger share is more likely a fault]',
  },
  'rebind-service': {
    type: 'boolean',
    describe: 'accepts a new service for the warehouse: another base URL, or a list with none of the stored projects',
  },
  'allow-shrink': { type: 'boolean', describe: 'marks rows deleted that exceed --max-shrink or wait for confirmation' },
  'accept-clock': {
    type: 'boolean',
    describe: "trusts this machine's clock, and moves future dates in the warehouse back to now",
  },
  'accept-account': {
    type: 'boolean',
    describe: "accepts a token of another user than the last run's, who may see other projects",
  },
  'forget-account': {
    type: 'string',
    array: true,
    describe:
      'NAME…  forgets an account that was removed from accounts: in collab.yaml; what no other account sees is marked deleted; repeatable',
  },
  again: {
    type: 'boolean',
    describe: 'continues a warehouse that was moved to another database (see move)',
  },
  full: {
    type: 'boolean',
    describe: 'compares and repairs every stored value, even of records whose hash is unchanged',
  },
  refresh: {
    type: 'string',
    coerce: (text: string) => fromFlag(parseRefresh, text, '--refresh'),
    describe:
      'STREAM=PERIOD,…  reads posts, files or archived_tasks that did not change within the last 30 days only once per period, such as posts=7d,files=30d; task_comments: those of unchanged tasks [default: task_comments=30d, all others in every run]',
  },
  'max-requests': {
    type: 'string',
    coerce: (text: string) => fromFlag(parseMaxRequests, text, '--max-requests'),
    describe:
      'N  sends at most N requests, retries included: lists first, then posts and files, those read longest ago first',
  },
  'max-duration': {
    type: 'string',
    coerce: (text: string) => fromFlag(parseMaxDuration, text, '--max-duration'),
    describe:
      'DURATION  sends no further request, and ends those under way, once the run has taken this long, such as 90m or 4h; the next run reads first what is left',
  },
  workers: {
    type: 'string',
    coerce: parseWorkers,
    describe:
      'N  starts N worker processes on this machine, which read the projects; 0: only workers started elsewhere do (see worker). Needs Postgres [default: this process reads them]',
  },
  // how collab-nightly passes nightly.accept on: { scope, until, reason } as JSON
  accept: { type: 'string', array: true, hidden: true, coerce: parseAccepted },
  resume: {
    type: 'string',
    requiresArg: false,
    coerce: parseResume,
    describe:
      'resumes the last run if it was interrupted or failed: skips the projects that it published under the same options. --resume=force also keeps data older than 24 hours; --resume=ISO resumes no run that began before that time',
  },
} as const

/** Checks a flag by the rule of its key in the config file. The rule's errors continue the name. */
function fromFlag<T>(parse: (text: unknown) => T, text: string, name: string): T {
  try {
    return parse(text)
  } catch (error) {
    throw new UsageError(`${name} ${error instanceof Error ? error.message : String(error)}`)
  }
}

function parseAccepted(values: string[]): Acceptance[] {
  return values.map((text) => {
    const { scope, until, reason } = JSON.parse(text) as AcceptedFailure // by collab-nightly
    const place = parsePlace(scope)
    if (place === null) throw new UsageError(`accept: ${scope} must be PID/STREAM or PID/STREAM/ITEM`)
    return { ...place, until: parseIsoTime(until, { name: `accept: until of ${scope}`, edge: 'start' }), reason }
  })
}

interface NamedPost {
  readonly pid: string
  readonly id: string
}

/**
 * `recent`: keeps data that the interrupted run read within the last 24 hours; `force`: also keeps older data. A time: resumes a run only if it
 * began then or later.
 */
export type ResumeMode = 'off' | 'recent' | 'force' | Date

function parseStreams(text: string): ReadonlySet<StreamName> {
  const names = text.split(',').map((name) => name.trim())
  return new Set(
    names.map((name) => {
      const stream = STREAMS.find((known) => known === name)
      if (stream !== undefined) return stream
      throw new UsageError(`--streams must be a list of ${STREAMS.join(', ')}; there is no "${name}"`)
    }),
  )
}

function eventsEdge(text: string, name: string, edge: 'start' | 'end'): Date {
  const time = parseIsoTime(text, { name, edge })
  if (time < EARLIEST) {
    throw new UsageError(`${name} is before ${EARLIEST.toISOString()}: the service takes 13-digit milliseconds only`)
  }
  if (time > LATEST) {
    throw new UsageError(`${name} is after ${LATEST.toISOString()}: the service takes 13-digit milliseconds only`)
  }
  return time
}

function parsePageSize(text: string): number {
  const size = Number(text)
  if (/^\d+$/.test(text) && size >= 1 && size <= MAX_PAGE_SIZE) return size
  throw new UsageError(`--archived-page-size must be a whole number from 1 to ${MAX_PAGE_SIZE}, not "${text}"`)
}

/** More processes would only slow each other down on one machine. */
const MAX_WORKERS = 256

function parseWorkers(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_WORKERS) return Number(text)
  throw new UsageError(`--workers must be a whole number from 0 to ${MAX_WORKERS}, not "${text}"`)
}

function parseFraction(text: string): number {
  const fraction = Number(text)
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && fraction <= 1) return fraction
  throw new UsageError(`--max-shrink must be a fraction from 0 to 1, not "${text}"`)
}

/** Without a value, yargs passes an empty text. `true` and `false` were accepted when `--resume` was a boolean flag. */
function parseResume(text: string): ResumeMode {
  if (text === '' || text === 'true') return 'recent'
  if (text === 'false') return 'off'
  if (text === 'force') return 'force'
  if (/^\d/.test(text)) return parseIsoTime(text, { name: '--resume', edge: 'start' })
  throw new UsageError(`--resume takes no value other than force or a time, not "${text}"`)
}

function parsePosts(values: string[]): NamedPost[] {
  return values.map((text) => {
    const at = text.indexOf(':')
    const pid = text.slice(0, Math.max(0, at))
    const id = text.slice(at + 1)
    if (isAskableId(pid) && isAskableId(id)) return { pid, id }
    throw new UsageError(`--post must be PID:POST_ID, not "${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`)
  })
}
