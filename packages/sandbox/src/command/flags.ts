import yargs from 'yargs'
import { SUCCESS_FORMS } from '../operations/handler.ts'
import { DEFAULT_TOKEN, type SandboxOptions } from '../options.ts'
import { QUIRK_LIST, Quirks, splitQuirks } from '../quirks/index.ts'
import { QuirkError } from '../quirks/quirk.ts'
import { DEFAULT_SIZES } from '../seed/sizes.ts'

/** A wrong flag. The message is one line for the user. */
export class FlagError extends Error {
  override readonly name = 'FlagError'
}

const SIZES = ['projects', 'barred', 'tasks', 'archived', 'pages', 'posts', 'events'] as const
const DEFAULT_PORT = 4010

const total = (what: string, name: keyof typeof DEFAULT_SIZES) =>
  ({ type: 'number', requiresArg: true, describe: `${what}, in all (default ${DEFAULT_SIZES[name]})` }) as const

/** Reads the flags. Returns `null` if help was requested and printed.
 *
 * @throws FlagError for unknown flags and wrong values */
export async function readFlags(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<SandboxOptions | null> {
  let printed = false
  const parser = yargs([...argv])
    .scriptName('collab-sandbox')
    .usage('$0 [flags]\n\nServes the whole collaboration service on loopback, with sample data.')
    .options({
      port: {
        type: 'number',
        default: DEFAULT_PORT,
        requiresArg: true,
        describe: 'port on 127.0.0.1; 0 selects a free one',
      },
      token: {
        type: 'string',
        requiresArg: true,
        describe: `the valid token (COLLAB_SANDBOX_TOKEN; default ${DEFAULT_TOKEN})`,
      },
      seed: {
        type: 'number',
        default: 1,
        requiresArg: true,
        describe: 'the same seed produces the same data and faults',
      },
      projects: total('projects that the token may read', 'projects'),
      barred: total('additional projects, listed with permission 0', 'barred'),
      tasks: total('tasks', 'tasks'),
      archived: total('archived tasks', 'archived'),
      pages: total('pages', 'pages'),
      posts: total('posts', 'posts'),
      events: total('events', 'events'),
      latency: { type: 'number', requiresArg: true, describe: 'milliseconds before every answer' },
      'fault-rate': {
        type: 'number',
        requiresArg: true,
        describe: 'share of requests that fail with a transient fault, 0 to 1',
      },
      'page-cap': {
        type: 'number',
        requiresArg: true,
        describe: 'largest page of archived tasks, even if more are requested',
      },
      'rate-limit': {
        type: 'number',
        requiresArg: true,
        describe: 'requests per second; others are answered with 429',
      },
      success: {
        choices: SUCCESS_FORMS,
        requiresArg: true,
        describe: 'type of success in the answers of operations 16, 18, 19 and 21 (default text)',
      },
      'fractional-positions': { type: 'boolean', describe: 'some tasks have fractional positions' },
      quirks: {
        type: 'string',
        requiresArg: true,
        describe: 'deviations from the documented service, separated by commas; see below',
      },
      compress: { type: 'boolean', describe: 'compress answers for clients that accept gzip' },
      load: { type: 'string', requiresArg: true, describe: 'file with a saved state, used instead of sample data' },
      save: { type: 'string', requiresArg: true, describe: 'file to which the state is written at the end' },
    })
    .example('$0 --port 0 --seed 7', 'other data, on a free port')
    .example('$0 --tasks 20000 --fault-rate 0.02 --page-cap 37', 'a slow and unreliable service')
    .epilogue(
      `Quirks:\n${quirkLines()}\n\nThe first line of stdout is {"base_url","token","pids"}. Press Ctrl-C to stop.`,
    )
    .strict()
    .version(false)
    .wrap(100)
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message: string | null, error?: Error) => {
      throw new FlagError(message ?? error?.message ?? 'invalid flags')
    })
  const flags = await parser.parseAsync([...argv], {}, (_error, _parsed, output) => {
    if (output === '') return
    process.stdout.write(`${output}\n`)
    printed = true
  })
  if (printed) return null

  if (flags.load !== undefined) {
    const clash = [...SIZES, 'fractional-positions' as const].find((name) => flags[name] !== undefined)
    if (clash) throw new FlagError(`--load and --${clash} cannot be combined: the file contains the data`)
  }
  whole('port', flags.port, 0, 65_535)
  whole('seed', flags.seed, Number.MIN_SAFE_INTEGER)
  for (const name of SIZES) whole(name, flags[name], name === 'projects' ? 1 : 0)
  whole('page-cap', flags['page-cap'], 1)
  range('latency', flags.latency, 0)
  range('rate-limit', flags['rate-limit'], 1)
  range('fault-rate', flags['fault-rate'], 0, 1)
  const { port, seed, projects, barred, tasks, archived, pages, posts, events, compress, load, save } = flags
  return {
    ...{ port, seed, projects, barred, tasks, archived, pages, posts, events, compress, load, save },
    token: flags.token || env['COLLAB_SANDBOX_TOKEN'] || DEFAULT_TOKEN,
    latencyMs: flags.latency,
    faultRate: flags['fault-rate'],
    pageCap: flags['page-cap'],
    rateLimit: flags['rate-limit'],
    quirks: quirksOf(flags.quirks),
    success: flags.success,
    fractionalPositions: flags['fractional-positions'],
  }
}

function quirkLines(): string {
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
    throw error instanceof QuirkError ? new FlagError(`--quirks: ${error.message}`) : error
  }
}

function whole(name: string, value: number | undefined, least: number, most?: number): void {
  if (value !== undefined && !Number.isSafeInteger(value)) throw new FlagError(`--${name} takes a whole number`)
  range(name, value, least, most)
}

function range(name: string, value: number | undefined, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (value === undefined || (value >= least && value <= most)) return
  const limits = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`
  throw new FlagError(`--${name} takes a number ${limits}`)
}
