import { resolve } from 'node:path'
import { Secret } from '../secret.ts'
import { DEFAULT_FILE } from './config-file.ts'
import { proxyEnvironment } from './proxy.ts'
import type { Settings } from './resolve.ts'
import { SETTINGS, type SettingGroup } from './table.ts'
import { TOKEN_ENV } from './token.ts'

/** Variables that hold secrets: taken out of the environment once read, so that no child process or crash report has them. */
const SECRET_VARIABLES = [TOKEN_ENV, SETTINGS.databaseUrl.env]

export function forgetSecrets(env: NodeJS.ProcessEnv): void {
  for (const name of SECRET_VARIABLES) delete env[name]
}

/**
 * The environment that gives another program these same settings as the user wrote them, secrets in the clear: for that program alone. The
 * token goes along as itself, whichever file it was read from, so that file's variable must not. The file of a token that is refreshed goes along
 * instead of the token. A token command is in the config file, which the other program reads as well. Defaults go along too:
 * one that was asked for by a flag beats the config file there too.
 */
export function settingsEnvironment(settings: Settings): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [key, entry] of Object.entries(SETTINGS)) {
    const text = textOf(settings, key as keyof typeof SETTINGS) // Object.entries widens the keys of a constant to string
    if (text !== undefined && entry !== SETTINGS.tokenFile) env[entry.env] = text
  }
  Object.assign(env, proxyEnvironment(settings.proxy))
  if (settings.token) env[TOKEN_ENV] = settings.token.reveal()
  if (settings.tokenPlace?.kind === 'file') env[SETTINGS.tokenFile.env] = settings.tokenPlace.path
  return env
}

/** The text from which another program makes the same value. */
function textOf(settings: Settings, key: keyof typeof SETTINGS): string | undefined {
  const value = settings[key]
  if (value === undefined) return undefined
  return value instanceof Secret ? value.reveal() : (settings.texts[key] ?? String(value))
}

/** The environment of this process without the token's file, and these variables: the token itself is passed, and both at once are an error. */
export function childEnvironment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { [SETTINGS.tokenFile.env]: _, ...rest } = process.env
  return { ...rest, ...env }
}

/**
 * The flags that give another command the same settings of a group, each after a space, for a command line to copy.
 * Defaults are left out, and so are secrets, which stay in the environment or in the config file. That file is named unless the
 * working directory has it.
 */
export function settingsFlags(settings: Settings, group: SettingGroup): string {
  const flags = Object.entries(SETTINGS).flatMap(([key, entry]) => {
    const value = settings[key as keyof typeof SETTINGS] // Object.entries widens the keys of a constant to string
    const isDefault = value === entry.default || (typeof entry.default === 'string' && value === resolve(entry.default))
    const isGiven = entry.group === group && !isDefault && value !== undefined && !(value instanceof Secret)
    const text = textOf(settings, key as keyof typeof SETTINGS) ?? ''
    return isGiven ? [` --${entry.flag} ${shellQuoted(text)}`] : []
  })
  const { configFile } = settings
  const isFound = configFile === undefined || configFile === resolve(DEFAULT_FILE)
  return [...(isFound ? [] : [` --config ${shellQuoted(configFile)}`]), ...flags].join('')
}

/** The text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * A program's name as users type it. If npm started this process (`npm start`, `npx`), the programs are only on npm's path, so `npx` runs
 * them. `--no-install` keeps it from installing a package of that name, which anybody could register. (`--no` would take the name for its value.)
 */
export function typedName(program: string): string {
  return process.env['npm_execpath'] === undefined ? program : `npx --no-install ${program}`
}
