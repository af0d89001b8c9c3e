import type { Secret } from '../secret.ts'
import { type AuthorityFile, authorityFile } from './authorities.ts'
import {
  databaseAddress,
  decimalNumber,
  errorCodes,
  hours,
  name,
  oneOf,
  path,
  seconds,
  serviceAddress,
  wholeNumber,
} from './parsers.ts'

/** Flags come in groups; a command names the groups that it uses. Those of `log` are every command's. */
export type SettingGroup = 'service' | 'warehouse' | 'log'

/** One setting: where it may be given, what it means, and how its text becomes a value. */
export interface Setting<T> {
  readonly flag: string
  readonly env: string
  /** Its key in the config file. */
  readonly key: string
  readonly group: SettingGroup
  /** Name of the value in the help, e.g. `URL`; or the values: `pretty|json`. */
  readonly argument: string
  /** The values, where `argument` does not list them. */
  readonly values?: readonly string[]
  readonly meaning: string
  /** Its text may be relative to where it was written; its value, as text, is an absolute path. */
  readonly isPath?: true
  /** In the config file it may be a list of single values, which are joined by commas. */
  readonly list?: true
  readonly default: T
  /** The default and its reason, for the help; left out where there is none. */
  readonly defaultNote?: string
  /**
   * @param directory what a relative path is relative to
   * @throws Error whose message continues the setting's name: `must be …`. It never holds a value that may be secret.
   */
  readonly parse: (text: string, directory: string) => T
}

/** An entry of the table. From the flag `data-dir` follow the key `data_dir` and, unless `env` is set, the variable `COLLAB_DATA_DIR`. */
function setting<T>(definition: Omit<Setting<T>, 'env' | 'key'> & { readonly env?: string }): Setting<T> {
  const key = definition.flag.replaceAll('-', '_')
  return { env: `COLLAB_${key.toUpperCase()}`, ...definition, key }
}

/** Directory of the embedded warehouse, relative to the working directory. */
const DEFAULT_DATA_DIR = 'collab-data'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const NO_CODES: readonly number[] = []

/** Every setting. A new setting is one entry here, from which its flag, help, key in the file and check follow. */
export const SETTINGS = {
  baseUrl: setting<string | undefined>({
    flag: 'base-url',
    group: 'service',
    argument: 'URL',
    meaning: 'address of the service, without /v1',
    default: undefined,
    parse: serviceAddress,
  }),
  tokenFile: setting<string | undefined>({
    flag: 'token-file',
    isPath: true,
    group: 'service',
    argument: 'FILE',
    meaning: 'file that holds the access token, or what login stored; or set COLLAB_TOKEN',
    default: undefined,
    parse: path,
  }),
  tokenIn: setting<'header' | 'query'>({
    flag: 'token-in',
    group: 'service',
    argument: 'header|query',
    meaning: 'where the token is sent',
    default: 'header',
    defaultNote: 'header; query is for proxies that drop headers with an underscore',
    parse: oneOf('header', 'query'),
  }),
  body: setting<'json' | 'form'>({
    flag: 'body',
    group: 'service',
    argument: 'json|form',
    meaning: 'encoding of POST bodies',
    default: 'json',
    defaultNote: 'json, as the service declares',
    parse: oneOf('json', 'form'),
  }),
  extended: setting<'auto' | 'off'>({
    flag: 'extended',
    group: 'service',
    argument: 'auto|off',
    meaning: 'whether observed operations, which the service does not document, are used where it offers them',
    default: 'auto',
    defaultNote: 'auto: each is tried once in a run',
    parse: oneOf('auto', 'off'),
  }),
  ca: setting<AuthorityFile | undefined>({
    flag: 'ca',
    isPath: true,
    group: 'service',
    argument: 'FILE',
    meaning: 'PEM file of further authorities to trust, for the service, pings and notifications',
    default: undefined,
    parse: authorityFile,
  }),
  databaseUrl: setting<Secret | undefined>({
    flag: 'database-url',
    env: 'DATABASE_URL',
    group: 'warehouse',
    argument: 'URL',
    meaning:
      'Postgres warehouse; set it in the environment if it holds a password, as flags are visible in the process list',
    default: undefined,
    defaultNote: 'the embedded warehouse',
    parse: databaseAddress,
  }),
  dataDir: setting<string>({
    flag: 'data-dir',
    isPath: true,
    group: 'warehouse',
    argument: 'DIR',
    meaning: 'directory of the embedded warehouse',
    default: DEFAULT_DATA_DIR,
    defaultNote: `./${DEFAULT_DATA_DIR}`,
    parse: path,
  }),
  schema: setting<string>({
    flag: 'schema',
    group: 'warehouse',
    argument: 'NAME',
    meaning: 'schema of the tables',
    default: 'collab',
    defaultNote: 'collab',
    parse: name,
  }),
  concurrency: setting<number>({
    flag: 'concurrency',
    group: 'service',
    argument: 'N',
    meaning: 'requests in parallel',
    default: 8,
    defaultNote: '8: hides latency without flooding the service',
    // More sockets than this run into the usual limits on open files and of proxies.
    parse: wholeNumber(1, 256),
  }),
  ratePerSecond: setting<number | undefined>({
    flag: 'rate',
    group: 'service',
    argument: 'N',
    meaning: 'requests per second at most, of the whole process',
    default: undefined,
    defaultNote: 'unlimited: the service states no limit, and HTTP 429 is obeyed',
    // Slower, and the pause between two requests is longer than a timer can wait.
    parse: decimalNumber(0.001, 100_000),
  }),
  limitedPer: setting<'service' | 'account'>({
    flag: 'limited-per',
    group: 'service',
    argument: 'service|account',
    meaning: 'whether "too many requests" pauses all accounts, or the one that was answered so',
    default: 'service',
    defaultNote: 'service',
    parse: oneOf('service', 'account'),
  }),
  timeoutSeconds: setting<number>({
    flag: 'timeout',
    group: 'service',
    argument: 'SECONDS',
    meaning: 'seconds until the first byte of an answer, and between two bytes',
    default: 60,
    defaultNote: '60: a list of 100,000 tasks may take that long to start',
    // Timers count whole milliseconds.
    parse: seconds(0.001, 3600),
  }),
  minBytesPerSecond: setting<number>({
    flag: 'min-speed',
    group: 'service',
    argument: 'BYTES',
    meaning: 'slowest answer in bytes per second, over a minute; a slower one is requested again; 0: any',
    default: 1000,
    defaultNote: '1000: any network is faster',
    parse: wholeNumber(0, 1_000_000_000),
  }),
  retries: setting<number>({
    flag: 'retries',
    group: 'service',
    argument: 'N',
    meaning: 'retries after the first attempt',
    default: 5,
    defaultNote: '5: outlasts a restart of the service',
    parse: wholeNumber(0, 100),
  }),
  rateLimitCodes: setting<readonly number[]>({
    flag: 'rate-limit-codes',
    group: 'service',
    argument: 'CODES',
    meaning: 'error codes or HTTP statuses that mean "too many requests", separated by commas',
    list: true,
    default: NO_CODES,
    defaultNote: 'none besides 429 and any 4xx with Retry-After',
    parse: errorCodes,
  }),
  eventsWindow: setting<number | undefined>({
    flag: 'events-window',
    group: 'service',
    argument: 'DURATION',
    meaning: 'longest range of time per request for events, such as 31d, 12h or 1y',
    default: undefined,
    defaultNote: '1y at first, 31d if the service omits events from long ranges',
    // shorter ones would take millions of requests
    parse: hours,
  }),
  logLevel: setting<(typeof LOG_LEVELS)[number]>({
    flag: 'log-level',
    group: 'log',
    argument: 'LEVEL',
    meaning: 'fatal, error, warn, info, debug, trace or silent; logs go to stderr',
    values: LOG_LEVELS,
    default: 'info',
    defaultNote: 'info',
    parse: oneOf(...LOG_LEVELS),
  }),
  logFormat: setting<'pretty' | 'json' | undefined>({
    flag: 'log-format',
    group: 'log',
    argument: 'pretty|json',
    meaning: 'format of the logs',
    default: undefined,
    defaultNote: 'pretty on a terminal, else json',
    parse: oneOf('pretty', 'json'),
  }),
}

/** The values of settings by their keys in the config file; secrets are masked. Those that are not set are `null`. */
export function settingValues(settings: { readonly [K in keyof typeof SETTINGS]: unknown }): Record<string, unknown> {
  const shown = (value: unknown) =>
    value === null || typeof value !== 'object' || Array.isArray(value) ? value : String(value)
  return Object.fromEntries(
    Object.entries(SETTINGS).map(([key, entry]) => [entry.key, shown(settings[key as keyof typeof SETTINGS]) ?? null]), // its own keys
  )
}

/** Every setting by its key in the config file, for tools that describe the file. */
export function settingKeys(): { readonly key: string; readonly meaning: string; readonly isList: boolean }[] {
  return Object.values(SETTINGS).map((entry) => ({ key: entry.key, meaning: entry.meaning, isList: 'list' in entry }))
}
