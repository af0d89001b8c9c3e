import type { Stats } from 'node:fs'
import { UsageError } from '../errors.ts'
import { Secret } from '../secret.ts'
import { readBoundedFile, whyUnreadable } from './bounded-file.ts'
import type { ProgramLine } from './program-line.ts'

/** The environment variable of the token; there is no flag, as it would show in the process list. */
export const TOKEN_ENV = 'COLLAB_TOKEN'

/** The name of the account that needs none, because it is the only one; the contract, which this package does not import, has it too. */
export const DEFAULT_ACCOUNT = 'default'

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

/** Longer tokens exist nowhere; what is larger is another file. */
const MAX_BYTES = 64 * 1024

/** What others than the owner may do with a file, in its mode. */
const READABLE = { group: 0o040, everyone: 0o004 }

/** Where a token is that can be replaced: a file that `login` stored, or the output of a program. */
export type TokenPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: ProgramLine }

export interface FoundToken {
  readonly token: Secret | undefined
  /** Instead of the token. */
  readonly tokenPlace: TokenPlace | undefined
  /** What is to be said of who else may read the file. */
  readonly warning: string | undefined
}

/**
 * Reads the token from the file; one line end after it is fine. JSON is a file that `login` stored, which is opened when it is needed.
 * @param given the path as it was given
 */
export function readTokenFile(path: string, given: string, where: string): FoundToken {
  try {
    const { text, stats } = readBoundedFile(path, { maxBytes: MAX_BYTES })
    const warning = stats.isFile() ? readersWarning(stats, path) : undefined
    if (text.trimStart().startsWith('{')) return { token: undefined, tokenPlace: { kind: 'file', path }, warning }
    return { token: parseToken(text, `${where}: the token file ${path}`), tokenPlace: undefined, warning }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const reason = whyUnreadable(error)
    if (given.length > LONGEST_BARE_NAME && !given.includes('/')) {
      const why = 'which is not shown, as it may be the token itself; that belongs into'
      throw new UsageError(`${where} must name a file that holds the token, ${why} ${TOKEN_ENV} (${reason})`)
    }
    throw new UsageError(`${where}: the token file ${path} cannot be read (${reason})`, { cause: error })
  }
}

/** Only the owner can change the mode. Another user's file may be readable for the group, as secrets are that Kubernetes mounts. */
function readersWarning({ mode, uid }: Pick<Stats, 'mode' | 'uid'>, path: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const isOwn = uid === process.getuid?.()
  if (!isOwn && (mode & READABLE.everyone) === 0) return undefined
  const readers = (mode & READABLE.everyone) !== 0 ? 'every user of this machine' : 'the group of the file'
  if ((mode & (READABLE.everyone | READABLE.group)) === 0) return undefined
  const octal = (mode & 0o777).toString(8).padStart(4, '0')
  return `the token file ${path} can be read by ${readers} (mode ${octal}): chmod 600 it, or for a Kubernetes secret set defaultMode: 0400`
}
