import { constants, readFileSync, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ifExists } from '@collab-etl/lock'
import { SignInError } from '../errors/sign-in-error.ts'
import { isToken } from '../http/token-source.ts'
import type { OauthAddresses } from './addresses.ts'
import type { TokenPair } from './exchange.ts'

/** What signing in stores. */
export interface SignIn {
  readonly accessToken: string
  /** `null`: the token cannot be refreshed. */
  readonly refreshToken: string | null
  /** `null`: unknown. */
  readonly expiresAt: Date | null
  /** The token's user; `null`: unknown. */
  readonly uid: string | null
  readonly clientId: string
  readonly addresses: Partial<Pick<OauthAddresses, 'tokenUrl' | 'refreshUrl'>>
}

/** A sign-in as it was read. */
export interface StoredSignIn extends SignIn {
  /** When the tokens were stored, by the clock of the file system. */
  readonly storedAt: Date
}

/** Tokens replace those of a sign-in. A service may keep the refresh token. */
export function withTokens(signIn: SignIn, { accessToken, refreshToken, expiresIn }: TokenPair): SignIn {
  const time = expiresIn === null ? Number.NaN : Date.now() + expiresIn * 1000
  // a time beyond all dates is none
  const expiresAt = Number.isNaN(new Date(time).getTime()) ? null : new Date(time)
  return { ...signIn, accessToken, refreshToken: refreshToken ?? signIn.refreshToken, expiresAt }
}

/**
 * Reads a token file that `writeSignIn` stored.
 * @throws SignInError `unusable`
 */
export async function readSignIn(path: string): Promise<StoredSignIn> {
  try {
    const [text, { mtime }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { ...parseSignIn(text, path), storedAt: mtime }
  } catch (error) {
    if (error instanceof SignInError) throw error
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown reason'
    throw unusable(path, `cannot be read (${code})`)
  }
}

function parseSignIn(text: string, path: string): SignIn {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    throw unusable(path, 'is not valid JSON')
  }
  const fields = fieldsOf(value)
  const oauth = fieldsOf(fields['oauth'])
  const accessToken = textOf(fields, 'access_token', path)
  const refreshToken = textOf(fields, 'refresh_token', path)
  const clientId = textOf(fields, 'client_id', path)
  if (accessToken === null) throw unusable(path, 'holds no access_token')
  if (refreshToken !== null && clientId === null) throw unusable(path, 'holds a refresh_token, but no client_id')
  for (const token of [accessToken, refreshToken ?? '-']) {
    if (!isToken(token)) throw unusable(path, 'holds a token with spaces or characters that no token has')
  }
  const tokenUrl = addressOf(oauth, 'token_url', path)
  const refreshUrl = addressOf(oauth, 'refresh_url', path)
  return {
    accessToken,
    refreshToken,
    expiresAt: timeOf(fields['expires_at'], path),
    uid: textOf(fields, 'uid', path),
    clientId: clientId ?? '',
    addresses: { ...(tokenUrl !== null && { tokenUrl }), ...(refreshUrl !== null && { refreshUrl }) },
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function textOf(fields: Readonly<Record<string, unknown>>, name: string, path: string): string | null {
  const value = fields[name] ?? null
  if (value === null || value === '') return null
  if (typeof value !== 'string') throw unusable(path, `holds a ${name} that is not a text`)
  return value
}

function addressOf(fields: Readonly<Record<string, unknown>>, name: string, path: string): string | null {
  const text = textOf(fields, name, path)
  if (text === null || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text
  throw unusable(path, `holds an oauth.${name} that is not an address`)
}

/** ISO 8601, or milliseconds. */
function timeOf(value: unknown, path: string): Date | null {
  if (value === undefined || value === null) return null
  const time = typeof value === 'string' || typeof value === 'number' ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime())) throw unusable(path, 'holds an expires_at that is not a time')
  return time
}

function unusable(path: string, why: string): SignInError {
  return new SignInError(
    'unusable',
    `the token file ${path} ${why}; to make a new one: collab-extract login --client-id ID --out ${path}`,
  )
}

/** A file is written under this name first. If a process dies before it is renamed, the next one finds the tokens there. */
const pendingOf = (path: string) => `${path}.new`

/**
 * Renames a file that was written, but not renamed, if it holds newer tokens of the same sign-in and only this user can have written it;
 * removes any other. Call it under the lock.
 */
export async function recoverPending(path: string, { clientId, uid }: SignIn): Promise<void> {
  const pending = pendingOf(path)
  const [written, current] = await Promise.all([ifExists(lstat(pending)), ifExists(stat(path))])
  if (written === null) return
  const isOurs = current !== null && written.mtimeMs >= current.mtimeMs && isPrivate(written, current)
  const found = isOurs ? await readSignIn(pending).catch(() => null) : null
  if (found?.clientId === clientId && found.uid === uid) await renameDurably(pending, path)
  else await rm(pending, { force: true })
}

/** Whether a file is as `reserve` makes it: of this user, or of the owner of the file that it replaces. Windows has no such modes. */
function isPrivate(written: Stats, replaced: Stats): boolean {
  if (!written.isFile()) return false
  const self = process.getuid?.()
  return self === undefined || ((written.mode & 0o777) === MODE && [self, replaced.uid].includes(written.uid))
}

const MODE = 0o600

/** An answer with tokens is no longer, in bytes. */
const RESERVED_BYTES = 64 * 1024

/** Space on disk for a sign-in. Disposing of it releases the space, unless a sign-in was stored. */
export interface Reservation extends AsyncDisposable {
  /** Stores a sign-in with mode 0600, whole or not at all, so that it survives a power failure. */
  store(signIn: SignIn): Promise<void>
}

/** Reserves space, so that a full disk is found before a refresh token is used up. Call it under the lock. */
export async function reserve(path: string): Promise<Reservation> {
  const pending = pendingOf(path)
  const replaced = await ifExists(stat(path))
  await rm(pending, { force: true })
  const file = await open(pending, 'wx', MODE)
  let isStored = false
  const reservation: Reservation = {
    async store(signIn) {
      isStored = true // tokens that cannot be renamed stay for the next process
      const text = Buffer.from(textOfSignIn(signIn))
      const { bytesWritten } = await file.write(text, 0, text.length, 0)
      if (bytesWritten < text.length) throw new Error('the disk is full')
      await file.truncate(text.length)
      await file.sync()
      await renameDurably(pending, path)
    },
    async [Symbol.asyncDispose]() {
      await file.close()
      if (!isStored) await rm(pending, { force: true })
    },
  }
  try {
    // a run of root leaves the file to its owner
    if (replaced !== null && process.getuid?.() === 0) await file.chown(replaced.uid, replaced.gid)
    await file.writeFile(' '.repeat(RESERVED_BYTES))
    await file.sync()
    return reservation
  } catch (error) {
    await reservation[Symbol.asyncDispose]()
    throw error
  }
}

/** Stores a sign-in. Call it under the lock. */
export async function writeSignIn(path: string, signIn: SignIn): Promise<void> {
  await using reservation = await reserve(path)
  await reservation.store(signIn)
}

function textOfSignIn({ accessToken, refreshToken, expiresAt, uid, clientId, addresses }: SignIn): string {
  const { tokenUrl = null, refreshUrl = null } = addresses
  const fields = {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_at: expiresAt?.toISOString() ?? null,
    uid,
    client_id: clientId,
    oauth: { token_url: tokenUrl, refresh_url: refreshUrl },
  }
  return `${JSON.stringify(fields, null, 2)}\n`
}

async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  let directory: FileHandle
  try {
    directory = await open(dirname(to), 'r')
  } catch {
    return // Windows opens no directories
  }
  try {
    await directory.sync()
  } catch {
    // some network file systems do not sync directories
  } finally {
    await directory.close()
  }
}

/** The file that a path leads to: a rename would replace a link. */
export async function targetOf(path: string): Promise<string> {
  return (await ifExists(realpath(path))) ?? path
}

/**
 * Why a file cannot be written or replaced by a rename; `null`: nothing is known against it. `root` may write where the mode forbids it, but a file or
 * directory without any right to write is meant to stay as it is.
 */
export async function whyNotReplaceable(path: string): Promise<string | null> {
  const directory = dirname(path)
  for (const place of [path, directory]) {
    const what = place === path ? 'it' : `its directory ${directory}`
    const found = place === path ? await ifExists(stat(place)) : await stat(place)
    if (found === null) continue
    if ((found.mode & 0o222) === 0) return `${what} is read-only`
    const refused = await access(place, constants.W_OK).then(
      () => false,
      () => true,
    )
    if (refused) return `${what} is read-only`
  }
  return mountPoints().has(path) ? 'it is mounted as a single file' : null
}

/** Mount points of this process. Only Linux lists them. */
function mountPoints(): ReadonlySet<string> {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    const unescaped = (text: string) =>
      text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    return new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')))
  } catch {
    return new Set()
  }
}
