import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

const BYTES = 32

/** The scrypt hash of a token, with a random salt: a process that has the same token recognises it, and the token cannot be read from it. */
export function markOf(token: string): string {
  const salt = randomBytes(BYTES)
  return `${salt.toString('base64')} ${scryptSync(token, salt, BYTES).toString('base64')}`
}

/** Whether `markOf` made the mark of this token. Takes some 50 ms. */
export function isMarkOf(mark: string, token: string): boolean {
  const [salt, hash] = mark.split(' ').map((part) => Buffer.from(part, 'base64'))
  if (salt === undefined || hash === undefined) return false
  return hash.length === BYTES && timingSafeEqual(scryptSync(token, salt, BYTES), hash)
}
