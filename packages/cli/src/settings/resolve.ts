import { resolve } from 'node:path'
import { UsageError } from '../errors.ts'
import { Secret } from '../secret.ts'
import type { AccountPlace } from './accounts.ts'
import { refuseUnverified } from './authorities.ts'
import { noConfigFile, readConfigFile, requireTrust } from './config-file.ts'
import type { ConfigFile, FileKeys } from './parse-config.ts'
import type { ProgramLine } from './program-line.ts'
import { type ProxySettings, resolveProxy } from './proxy.ts'
import { SETTINGS, type Setting, type SettingGroup } from './table.ts'
import { type FoundToken, parseToken, readTokenFile, TOKEN_ENV, type TokenPlace } from './token.ts'
import type { OauthSettings } from './token-keys.ts'

type Table = typeof SETTINGS

/** Every setting with its value; those of groups that the command does not use have their defaults. */
export type Settings = { readonly [K in keyof Table]: Table[K]['default'] } & {
  /** The token as it was given; `undefined`: none is set, or it is in `tokenPlace`. */
  readonly token: Secret | undefined
  /** Where a token is that can be replaced. */
  readonly tokenPlace: TokenPlace | undefined
  /** Instead of a token: the accounts of the config file, at least one; `undefined`: the file names none. */
  readonly accounts: readonly AccountPlace[] | undefined
  /** Proxies before the service, health checks and receivers of notifications; `undefined`: none. */
  readonly proxy: ProxySettings | undefined
  /** Addresses of signing in that replace the usual ones. */
  readonly oauth: OauthSettings
  /** The values as the user wrote them, except secrets and paths. Child programs get these texts and parse them again. */
  readonly texts: { readonly [K in keyof Table]?: string }
  /** The app's own keys of the config file, as the app's checks returned them. */
  readonly file: Readonly<Record<string, unknown>>
  /** Absolute path of the config file that was read. */
  readonly configFile: string | undefined
  /** Why programs that the config file names are not run (`requireTrust`); `null`: they are. */
  readonly distrust: string | null
  /** What the user is to be warned of before the command runs, one line each. */
  readonly warnings: readonly string[]
}

export interface SettingSources {
  /** By flag name, without the dashes; absent where not given. */
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly directory: string
  /** `null`: every setting has its default, and no file is read. */
  readonly groups: readonly SettingGroup[] | null
  readonly fileKeys?: FileKeys
  /** The config file is JSON, is read only if it is named, and beats the environment. */
  readonly hasJsonConfig?: boolean
  /** Whether authorities and proxies are read in any case: a failure is reported to others with them. */
  readonly delivers?: boolean
  /** The token is not looked for, so that a wrong one stops nothing. */
  readonly skipsToken?: boolean
}

/** A text, where it comes from, and what a relative path in it is relative to. */
interface Found {
  readonly text: string
  readonly where: string
  readonly source: 'flag' | 'environment' | 'file'
  readonly directory: string
}

/**
 * Reads all settings: a flag beats the environment, the environment beats the config file. An environment variable that
 * is set to nothing counts as not set. A config file of JSON beats the environment.
 * @throws UsageError
 */
export async function resolveSettings(sources: SettingSources): Promise<Settings> {
  const { flags, directory, fileKeys = {}, hasJsonConfig = false } = sources
  const named = flags['config']
  const reads = sources.groups !== null && (named !== undefined || !hasJsonConfig)
  const file = reads ? await readConfigFile(named, directory, fileKeys, hasJsonConfig) : noConfigFile(directory)
  const groups = new Set<SettingGroup>(sources.groups === null ? [] : [...sources.groups, 'log'])
  if (sources.groups !== null && sources.groups.length > 0) refuseUnverified(sources.env)
  const texts: Record<string, string> = {}
  const problems = [...file.problems]
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, entry]) => {
      const isUsed = groups.has(entry.group) || (sources.delivers === true && entry === SETTINGS.ca)
      const found = isUsed ? find(entry, sources, file) : undefined
      if (found === undefined) return [key, entry.default]
      const value = parse(entry, found, problems)
      if (!(value instanceof Secret) && entry.isPath !== true) texts[key] = found.text
      return [key, value]
    }),
  ) as { [K in keyof Table]: Table[K]['default'] } // each value is its own entry's default or what its own parse returned
  requireNone(problems)
  const isTokenRead = groups.has('service') && sources.skipsToken !== true
  const { token, tokenPlace, warning } = isTokenRead ? readToken(sources, file) : NO_TOKEN
  const { token_command: _command, accounts: _accounts, oauth, proxy, ...extra } = file.extra
  return {
    ...values,
    dataDir: resolve(sources.directory, values.dataDir), // its default is relative
    token,
    tokenPlace,
    accounts: accountsIn(file),
    proxy:
      groups.has('service') || sources.delivers === true
        ? resolveProxy(sources.env, proxy as Secret | undefined)
        : undefined, // as `parseProxy` returned it
    oauth: (oauth ?? {}) as OauthSettings, // as `parseOauth` returned it
    texts,
    file: extra,
    configFile: file.path,
    distrust: file.distrust,
    warnings: warning === undefined ? [] : [warning],
  }
}

function parse(entry: Setting<unknown>, found: Found, problems: UsageError[]): unknown {
  try {
    return entry.parse(found.text, found.directory)
  } catch (error) {
    problems.push(new UsageError(`${found.where} ${error instanceof Error ? error.message : String(error)}`))
    return entry.default
  }
}

/** @throws UsageError that names all problems, so that the user can repair them at once */
function requireNone(problems: readonly UsageError[]): void {
  const [first, ...others] = problems
  if (first === undefined) return
  throw others.length === 0
    ? first
    : new UsageError(problems.map(({ message }) => message).join('; '), { cause: first })
}

function find(entry: Setting<unknown>, sources: SettingSources, file: ConfigFile): Found | undefined {
  const flag = sources.flags[entry.flag]
  if (flag !== undefined) return { text: flag, where: `--${entry.flag}`, source: 'flag', directory: sources.directory }
  // a flag that names a directory means the embedded warehouse, also where another place names a database
  if (entry === SETTINGS.databaseUrl && sources.flags[SETTINGS.dataDir.flag] !== undefined) return undefined
  const line = file.settings.get(entry.key)
  const inFile: Found | undefined = line && { ...line, source: 'file', directory: file.directory }
  if (sources.hasJsonConfig === true) {
    // a file that names a directory means the embedded warehouse, even if DATABASE_URL is set
    const isOther = entry === SETTINGS.databaseUrl && file.settings.has(SETTINGS.dataDir.key)
    if (inFile !== undefined || isOther) return inFile
  }
  const env = sources.env[entry.env]
  return env ? { text: env, where: entry.env, source: 'environment', directory: sources.directory } : inFile
}

const NO_TOKEN: FoundToken = { token: undefined, tokenPlace: undefined, warning: undefined }

function accountsIn(file: ConfigFile): readonly AccountPlace[] | undefined {
  return file.extra['accounts'] as readonly AccountPlace[] | undefined // as `parseAccounts` returned it
}

function readToken(sources: SettingSources, file: ConfigFile): FoundToken {
  const given = sources.env[TOKEN_ENV]
  const found = find(SETTINGS.tokenFile, sources, file)
  const command = file.extra['token_command'] as ProgramLine | undefined // as `parseTokenCommand` returned it
  const accounts = accountsIn(file)
  if (accounts !== undefined) {
    const other = given ? TOKEN_ENV : (found?.where ?? (command && 'token_command'))
    if (other !== undefined) throw new UsageError(`${other} and accounts are both set: remove or unset one`)
    if (accounts.some(({ place }) => place.kind === 'command')) requireTrust('token_command', file.distrust)
    return NO_TOKEN
  }
  if (given && found?.source === 'environment') {
    throw new UsageError(`${TOKEN_ENV} and ${found.where} are both set; which of them holds the token? Unset one`)
  }
  if (given && found?.source !== 'flag') return { ...NO_TOKEN, token: parseToken(given, TOKEN_ENV) }
  if (command !== undefined && found?.source === 'file') {
    throw new UsageError(`${found.where} and token_command are both set; which of them gives the token? Remove one`)
  }
  if (found === undefined) {
    if (command === undefined) return NO_TOKEN
    requireTrust('token_command', file.distrust)
    return { ...NO_TOKEN, tokenPlace: { kind: 'command', command } }
  }
  const path = SETTINGS.tokenFile.parse(found.text, found.directory) ?? found.text
  return readTokenFile(path, found.text, found.where)
}
