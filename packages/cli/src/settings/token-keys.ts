import { resolve } from 'node:path'
import { FileValueError } from './file-value-error.ts'
import { serviceAddress } from './parsers.ts'

/** A program and its arguments. */
export type TokenCommandLine = readonly [program: string, ...args: string[]]

/** Addresses of signing in, where they are not the usual ones. */
export interface OauthSettings {
  readonly authorizeUrl?: string
  readonly tokenUrl?: string
  readonly refreshUrl?: string
}

/** `token_command:` of the config file. A program with a slash in its name is relative to the file. */
export function parseTokenCommand(value: unknown, directory: string): TokenCommandLine {
  const parts: readonly unknown[] = Array.isArray(value) ? value : []
  const [program, ...args] = parts.map((part) => (typeof part === 'number' ? String(part) : part))
  const isText = (part: unknown): part is string => typeof part === 'string' && !part.includes('\0')
  if (!isText(program) || program === '' || !args.every(isText)) {
    throw new Error('must be a program and its arguments, such as [vault, read, -field=token, secret/collab]')
  }
  return [program.includes('/') ? resolve(directory, program) : program, ...args]
}

const OAUTH_KEYS = { authorize_url: 'authorizeUrl', token_url: 'tokenUrl', refresh_url: 'refreshUrl' } as const

/** `oauth:` of the config file. */
export function parseOauth(value: unknown): OauthSettings {
  const names = Object.keys(OAUTH_KEYS).join(', ')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`must hold ${names}`)
  return Object.fromEntries(
    Object.entries(value).map(([key, address]: [string, unknown]) => {
      if (!Object.hasOwn(OAUTH_KEYS, key)) throw new FileValueError([key], `is not one of ${names}`)
      try {
        return [OAUTH_KEYS[key as keyof typeof OAUTH_KEYS], serviceAddress(typeof address === 'string' ? address : '')]
      } catch (error) {
        throw new FileValueError([key], error instanceof Error ? error.message : String(error))
      }
    }),
  )
}
