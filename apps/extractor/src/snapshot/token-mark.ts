import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { Account } from '@collab-etl/cli'
import { isSignInError } from '@collab-etl/core/errors'

const BYTES = 32

/**
 * Marks by which a process recognises that it uses the same token, or the same sign-in, whose token may have been replaced meanwhile. They are
 * scrypt hashes with random salts: no token can be read from them.
 */
export async function marksOf(tokens: Account['tokens']): Promise<string[]> {
  return (await ownTexts(tokens)).map((text) => {
    const salt = randomBytes(BYTES)
    return `${salt.toString('base64')} ${scryptSync(text, salt, BYTES).toString('base64')}`
  })
}

/** Whether one of the marks is of this token or sign-in. Takes some 50 ms for each. */
export async function isMarkOf(marks: readonly string[], tokens: Account['tokens']): Promise<boolean> {
  const texts = await ownTexts(tokens)
  return marks.some((mark) => texts.some((text) => isHashOf(mark, text)))
}

function isHashOf(mark: string, text: string): boolean {
  const [salt, hash] = mark.split(' ').map((part) => Buffer.from(part, 'base64'))
  if (salt === undefined || hash === undefined) return false
  return hash.length === BYTES && timingSafeEqual(scryptSync(text, salt, BYTES), hash)
}

/** The token, and the sign-in or command that it comes from, which is enough while the token cannot be refreshed. */
async function ownTexts(tokens: Account['tokens']): Promise<string[]> {
  const { identity } = tokens
  const origin = identity === null ? [] : [`sign-in ${identity}`]
  try {
    return [await tokens.current(), ...origin]
  } catch (error) {
    if (isSignInError(error, 'unreachable')) return origin
    throw error
  }
}
