import { FileValueError } from './file-value-error.ts'
import { serviceAddress } from './parsers.ts'
import { type ProgramLine, parseProgramLine } from './program-line.ts'

/** Addresses of signing in, where they are not the usual ones. */
export interface OauthSettings {
  readonly authorizeUrl?: string
  readonly tokenUrl?: string
  readonly refreshUrl?: string
}

/** `token_command:` of the config file. */
export function parseTokenCommand(value: unknown, directory: string): ProgramLine {
  return parseProgramLine(value, directory, '[vault, read, -field=token, secret/collab]')
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
