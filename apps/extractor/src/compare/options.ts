import { type Arguments, type Settings, UsageError } from '@collab-etl/cli'
import { SNAPSHOT_FLAGS } from '../snapshot/flags.ts'
import { MAX_PROJECTS_AT_ONCE } from '../snapshot/options.ts'

/** The flags of `compare`. Those of `snapshot` select the same as there. */
export const COMPARE_FLAGS = {
  project: SNAPSHOT_FLAGS.project,
  sample: {
    type: 'string',
    coerce: parseShare,
    describe: 'FRACTION  only a random share of the projects, at least one [default: 1]',
  },
  'events-from': SNAPSHOT_FLAGS['events-from'],
  'events-to': {
    ...SNAPSHOT_FLAGS['events-to'],
    describe: 'ISO  events up to and including this day or time [default: two years after they were read last]',
  },
  'archived-page-size': SNAPSHOT_FLAGS['archived-page-size'],
} as const

export type CompareArguments = Arguments<typeof COMPARE_FLAGS>

export interface CompareOptions {
  /** `null`: all that the service lists. */
  readonly projects: ReadonlySet<string> | null
  /** Above 0; 1 for all of them. */
  readonly sample: number
  readonly eventsFrom: Date | undefined
  readonly eventsTo: Date | undefined
  readonly archivedPageSize: number | undefined
  readonly projectsAtOnce: number
}

/** Checks rules that concern several flags. Throws `UsageError`. */
export function compareOptions(settings: Pick<Settings, 'concurrency'>, args: CompareArguments): CompareOptions {
  const { 'events-from': eventsFrom, 'events-to': eventsTo } = args
  if (eventsFrom && eventsTo && eventsFrom > eventsTo) throw new UsageError('--events-from is after --events-to')
  return {
    projects: args.project === undefined ? null : new Set(args.project),
    sample: args.sample ?? 1,
    eventsFrom,
    eventsTo,
    archivedPageSize: args['archived-page-size'],
    projectsAtOnce: Math.min(settings.concurrency, MAX_PROJECTS_AT_ONCE),
  }
}

function parseShare(text: string): number {
  const share = Number(text)
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && share > 0 && share <= 1) return share
  throw new UsageError(`--sample must be a fraction above 0, up to 1, not "${text}"`)
}
