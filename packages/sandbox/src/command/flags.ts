import { type Arguments, UsageError } from '@collab-etl/cli'
import { SUCCESS_FORMS } from '../operations/handler.ts'
import { EXTENSIONS, extensionsOf } from '../operations/served.ts'
import { DEFAULT_TOKEN, type SandboxOptions } from '../options.ts'
import { QUIRK_LIST, Quirks, splitQuirks } from '../quirks/index.ts'
import { QuirkError } from '../quirks/quirk.ts'
import { DEFAULT_SIZES } from '../seed/outline.ts'

const SIZES = ['projects', 'barred', 'tasks', 'archived', 'pages', 'posts', 'events'] as const
const DEFAULT_PORT = 4010

const size = (what: string, name: keyof typeof DEFAULT_SIZES) =>
  ({ type: 'number', describe: `N  ${what}, in all [default: ${DEFAULT_SIZES[name]}]` }) as const

/** The flags of the sandbox, in yargs' terms. */
export const SANDBOX_FLAGS = {
  port: { type: 'number', default: DEFAULT_PORT, describe: 'N  port on 127.0.0.1; 0 selects a free one' },
  token: {
    type: 'string',
    describe: `TEXT  the valid token [COLLAB_SANDBOX_TOKEN] [default: ${DEFAULT_TOKEN}]`,
  },
  accounts: { type: 'number', describe: 'N  users with tokens, including that of --token [default: 1]' },
  seed: { type: 'number', default: 1, describe: 'N  the same seed produces the same data and faults' },
  projects: size('projects that the token may read', 'projects'),
  barred: size('additional projects, listed with permission 0', 'barred'),
  tasks: size('tasks', 'tasks'),
  archived: size('archived tasks', 'archived'),
  pages: size('pages', 'pages'),
  posts: size('posts', 'posts'),
  events: size('events', 'events'),
  latency: { type: 'number', describe: 'MS  delay before every answer [default: 0]' },
  'fault-rate': {
    type: 'number',
    describe: 'SHARE  of requests that fail with a transient fault, 0 to 1 [default: 0]',
  },
  'page-cap': { type: 'number', describe: 'N  largest page of archived tasks, even if more are requested' },
  'rate-limit': { type: 'number', describe: 'N  requests per second; others are answered with 429' },
  extended: {
    type: 'string',
    requiresArg: false,
    coerce: namesOf,
    describe: `[NAMES]  offers operations beyond the documented service: ${EXTENSIONS.join(', ')} [default: all of them]`,
  },
  'token-lifetime': {
    type: 'number',
    describe: 'SECONDS  lifetime of the tokens of --extended oauth, at least 1 [default: 7776000, 90 days]',
  },
  success: {
    choices: SUCCESS_FORMS,
    describe: 'type of success in the answers of operations 16, 18, 19 and 21 [default: text; boolean with --extended]',
  },
  'total-count': { type: 'boolean', describe: 'states the length of each list in X-Total-Count' },
  'fractional-positions': { type: 'boolean', describe: 'gives some tasks fractional positions' },
  quirks: { type: 'string', describe: 'LIST  deviations from the documented service, separated by commas; see below' },
  compress: { type: 'boolean', describe: 'compresses answers for clients that accept gzip' },
  load: { type: 'string', describe: 'FILE  starts from a saved state instead of sample data' },
  save: { type: 'string', describe: 'FILE  writes the state there at the end' },
} as const

/** The flags as they were given. */
export type SandboxArguments = Arguments<typeof SANDBOX_FLAGS>

/** Checks the flags and turns them into options. @throws UsageError */
export function sandboxOptions(flags: SandboxArguments, env: NodeJS.ProcessEnv): SandboxOptions {
  if (flags.load !== undefined) {
    const clash = [...SIZES, 'fractional-positions' as const].find((name) => flags[name] !== undefined)
    if (clash) throw new UsageError(`--load and --${clash} cannot be combined: the file contains the data`)
  }
  requireWhole('port', flags.port, 0, 65_535)
  requireWhole('accounts', flags.accounts, 1)
  requireWhole('seed', flags.seed, Number.MIN_SAFE_INTEGER)
  for (const name of SIZES) requireWhole(name, flags[name], name === 'projects' ? 1 : 0)
  requireWhole('page-cap', flags['page-cap'], 1)
  requireRange('latency', flags.latency, 0)
  requireRange('rate-limit', flags['rate-limit'], 1)
  requireRange('token-lifetime', flags['token-lifetime'], 1)
  requireRange('fault-rate', flags['fault-rate'], 0, 1)
  const { port, seed, projects, barred, tasks, archived, pages, posts, events, compress, load, save } = flags
  return {
    port,
    seed,
    projects,
    barred,
    tasks,
    archived,
    pages,
    posts,
    events,
    compress,
    load,
    save,
    token: flags.token || env['COLLAB_SANDBOX_TOKEN'] || DEFAULT_TOKEN,
    latencyMs: flags.latency,
    faultRate: flags['fault-rate'],
    pageCap: flags['page-cap'],
    rateLimit: flags['rate-limit'],
    extended: flags.extended,
    tokenLifetime: flags['token-lifetime'],
    quirks: quirksOf(flags.quirks),
    success: flags.success,
    totalCount: flags['total-count'],
    fractionalPositions: flags['fractional-positions'],
  }
}

/** The quirks, one a line, for the end of the help. */
export function quirkLines(): string {
  const width = Math.max(...QUIRK_LIST.map(([usage]) => usage.length))
  return QUIRK_LIST.map(([usage, describe]) => `  ${usage.padEnd(width)}  ${describe}`).join('\n')
}

function quirksOf(list: string | undefined): string[] | undefined {
  if (list === undefined) return undefined
  const quirks = splitQuirks(list)
  try {
    new Quirks(quirks)
    return quirks
  } catch (error) {
    throw error instanceof QuirkError ? new UsageError(`--quirks: ${error.message}`) : error
  }
}

/** The names after `--extended`: without any, all. */
function namesOf(list: string): true | string[] {
  if (list === '') return true
  const names = list.split(',').map((name) => name.trim())
  try {
    extensionsOf(names)
    return names
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--extended: ${error.message}`) : error
  }
}

function requireWhole(name: string, value: number | undefined, least: number, most?: number): void {
  if (value !== undefined && !Number.isSafeInteger(value)) throw new UsageError(`--${name} takes a whole number`)
  requireRange(name, value, least, most)
}

function requireRange(name: string, value: number | undefined, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (value === undefined || (value >= least && value <= most)) return
  const limits = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`
  throw new UsageError(`--${name} takes a number ${limits}`)
}
