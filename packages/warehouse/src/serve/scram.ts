import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'

/** The usual number of PostgreSQL. */
const ITERATIONS = 4096

/** What is stored of a password: not enough to log in with. */
export interface Verifier {
  readonly salt: Buffer
  readonly storedKey: Buffer
  readonly serverKey: Buffer
}

/** @param password letters and digits: others would need normalising (SASLprep) */
export function verifierOf(password: string): Verifier {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  return {
    salt,
    storedKey: createHash('sha256').update(hmac(salted, 'Client Key')).digest(),
    serverKey: hmac(salted, 'Server Key'),
  }
}

/** The server's part of SCRAM-SHA-256 (RFC 5802, 7677) without channel binding. `null` for messages that do not fit or a wrong password. */
export class ScramExchange {
  readonly #verifier: Verifier
  #begun: { readonly bare: string; readonly first: string; readonly nonce: string; readonly header: string } | undefined

  constructor(verifier: Verifier) {
    this.#verifier = verifier
  }

  /** Answers the client's first message. */
  challenge(message: string): string | null {
    const [, header, bare, nonce] = /^([ny],(?:a=[^,]*)?,)(n=[^,]*,r=([!-+\--~]{10,200}))$/.exec(message) ?? []
    if (header === undefined || bare === undefined) return null
    const own = `${nonce}${randomBytes(18).toString('base64')}`
    const first = `r=${own},s=${this.#verifier.salt.toString('base64')},i=${ITERATIONS}`
    this.#begun = { bare, first, nonce: own, header }
    return first
  }

  /** Checks the client's last message. */
  finish(message: string): string | null {
    const [, without, binding, nonce, proof = ''] = /^(c=([^,]*),r=([^,]*)),p=([^,]*)$/.exec(message) ?? []
    const { storedKey, serverKey } = this.#verifier
    const begun = this.#begun
    if (begun === undefined || nonce !== begun.nonce) return null
    if (binding !== Buffer.from(begun.header).toString('base64')) return null
    const signed = `${begun.bare},${begun.first},${without}`
    const given = Buffer.from(proof, 'base64')
    const signature = hmac(storedKey, signed)
    if (given.length !== signature.length) return null
    const clientKey = Buffer.from(given.map((byte, at) => byte ^ (signature[at] ?? 0)))
    if (!timingSafeEqual(createHash('sha256').update(clientKey).digest(), storedKey)) return null
    return `v=${hmac(serverKey, signed).toString('base64')}`
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
