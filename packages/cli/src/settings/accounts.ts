import { didYouMean } from '../suggest.ts'
import { FileValueError } from './file-value-error.ts'
import { path } from './parsers.ts'
import { SETTINGS } from './table.ts'
import { DEFAULT_ACCOUNT, type TokenPlace } from './token.ts'
import { parseTokenCommand } from './token-keys.ts'

/** An account of `accounts:` in the config file: a name, and where its token is. */
export interface AccountPlace {
  readonly name: string
  /** A file holds the token itself, or what `login` stored. `given` is its path as it is written. */
  readonly place:
    | (Extract<TokenPlace, { kind: 'file' }> & { readonly given: string })
    | Extract<TokenPlace, { kind: 'command' }>
  /** Requests per second of this account; `undefined`: as many as all of them together may send. */
  readonly ratePerSecond: number | undefined
}

const KEYS = ['name', 'token_file', 'token_command', 'rate'] as const

const NAME = /^[\w-]{1,64}$/

const EXAMPLE = 'such as [{ name: anna, token_file: anna.json }, { name: ben, token_file: ben.json }]'

/**
 * `accounts:` of the config file.
 * @throws Error whose message continues the name of the key
 */
export function parseAccounts(value: unknown, directory: string): readonly AccountPlace[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error(`must be a list of accounts, ${EXAMPLE}`)
  const accounts = value.map((entry: unknown, index) => parseAccount(entry, index, directory))
  accounts.forEach(({ name, place }, index) => {
    const earlier = accounts.slice(0, index)
    if (earlier.some((other) => other.name === name)) {
      throw new FileValueError([index, 'name'], `must be another name: there are two accounts ${name}`)
    }
    const twin = earlier.find((other) => sourceOf(other) === sourceOf({ place }))
    if (twin !== undefined) throw new FileValueError([index], `must have a token of its own, not that of ${twin.name}`)
  })
  return accounts
}

const sourceOf = ({ place }: Pick<AccountPlace, 'place'>) =>
  place.kind === 'file' ? place.path : JSON.stringify(place.command)

function parseAccount(entry: unknown, index: number, directory: string): AccountPlace {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new FileValueError([index], `must be an account, ${EXAMPLE}`)
  }
  const given: Readonly<Record<string, unknown>> = { ...entry }
  for (const key of Object.keys(given)) {
    if (key === 'token') throw new FileValueError([index, key], 'must not be in a config file: set token_file')
    const why = `is not one of ${KEYS.join(', ')}${didYouMean(key, KEYS)}`
    if (!(KEYS as readonly string[]).includes(key)) throw new FileValueError([index, key], why)
  }
  const at = <T>(key: (typeof KEYS)[number], parse: (found: unknown) => T): T | undefined => {
    const found = given[key]
    if (found === undefined) return undefined
    try {
      return parse(found)
    } catch (error) {
      throw new FileValueError([index, key], error instanceof Error ? error.message : String(error))
    }
  }
  const name = at('name', parseName)
  if (name === undefined) throw new FileValueError([index], 'must have a name')
  const file = at('token_file', (found) => parseFile(found, directory))
  const command = at('token_command', (found) => parseTokenCommand(found, directory))
  const ratePerSecond = at('rate', (found) => SETTINGS.ratePerSecond.parse(String(found), directory))
  const place = command ? ({ kind: 'command', command } as const) : file
  if (place === undefined || (file && command)) {
    throw new FileValueError([index], `must have either token_file or token_command (account ${name})`)
  }
  return { name, place, ratePerSecond }
}

function parseName(found: unknown): string {
  const name = typeof found === 'number' ? String(found) : found
  if (name === DEFAULT_ACCOUNT) throw new Error(`must not be ${DEFAULT_ACCOUNT}, which is the account without a name`)
  if (typeof name === 'string' && NAME.test(name)) return name
  throw new Error('must be 1 to 64 letters, digits, - or _, such as anna')
}

function parseFile(found: unknown, directory: string) {
  if (typeof found === 'string' && found !== '') {
    return { kind: 'file', path: path(found, directory), given: found } as const
  }
  throw new Error('must be the path of a file that holds the token')
}
