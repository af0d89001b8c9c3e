import { readFileSync } from 'node:fs'
import { UsageError } from '../errors.ts'
import { Secret } from '../secret.ts'

/** The environment variable of the token; there is no flag, as it would show in the process list. */
export const TOKEN_ENV = 'COLLAB_TOKEN'

/** What the token may consist of: it travels in a header, so neither spaces nor anything beyond ASCII. */
const TOKEN = /^[\x21-\x7e]+$/

/** Checks a token. `where` names its source; the error never holds the token. */
export function parseToken(text: string, where: string): Secret {
  const token = text.replace(/\r?\n$/, '')
  if (token.trim() === '') throw new UsageError(`${where} holds no token`)
  if (/[\r\n]/.test(token)) throw new UsageError(`${where} holds more than one line; it must hold the token alone`)
  if (!TOKEN.test(token)) throw new UsageError(`${where} holds spaces or characters that no token has`)
  return new Secret(token)
}

/** Names of files are shorter, or say where they are; a token that was given in place of one is neither. */
const LONGEST_BARE_NAME = 16

/**
 * Reads the token from the file; one line end after it is fine.
 * @param given the path as it was given
 */
export function readTokenFile(path: string, given: string, where: string): Secret {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    if (given.length > LONGEST_BARE_NAME && !given.includes('/')) {
      const why = 'which is not shown, as it may be the token itself; that belongs into'
      throw new UsageError(`${where} must name a file that holds the token, ${why} ${TOKEN_ENV} (${code})`)
    }
    throw new UsageError(`${where}: the token file ${path} cannot be read (${code})`, { cause: error })
  }
  return parseToken(text, `${where}: the token file ${path}`)
}
