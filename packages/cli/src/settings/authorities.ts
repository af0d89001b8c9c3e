import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import { UsageError } from '../errors.ts'
import { readBoundedFile, whyUnreadable } from './bounded-file.ts'

/** All authorities of the web are a quarter of a megabyte. */
const MAX_BYTES = 16 * 1024 * 1024

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Certificates of authorities that were read from a file. As a text it is the file's path, as other settings are what was given. */
export class AuthorityFile {
  readonly path: string
  /** The TLS certificates of the file (PEM), without its other contents. */
  readonly pem: string

  constructor(path: string, pem: string) {
    this.path = path
    this.pem = pem
  }

  toString(): string {
    return this.path
  }
}

/**
 * Reads a file of certificates.
 * @throws Error whose message continues the setting's name
 */
export function authorityFile(text: string, directory: string): AuthorityFile {
  const path = resolve(directory, text)
  const certificates = [...readText(path).matchAll(CERTIFICATE)].map(([certificate]) => certificate)
  if (certificates.length === 0) {
    throw new Error(`must name a file of certificates (PEM: -----BEGIN CERTIFICATE-----); ${path} holds none`)
  }
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate)
    } catch (error) {
      throw new Error(`names ${path}, whose certificate ${index + 1} is none that can be read`, { cause: error })
    }
  }
  return new AuthorityFile(path, certificates.join('\n'))
}

function readText(path: string): string {
  try {
    return readBoundedFile(path, { maxBytes: MAX_BYTES }).text
  } catch (error) {
    throw new Error(`names ${path}, which cannot be read (${whyUnreadable(error)})`, { cause: error })
  }
}

/** Node's switch that lets any server pass for any other. */
const SWITCH = 'NODE_TLS_REJECT_UNAUTHORIZED'

/**
 * Refuses an environment in which certificates are not verified: another server could receive the token and the database's password.
 */
export function refuseUnverified(env: Readonly<Record<string, string | undefined>>): void {
  if (env[SWITCH] !== '0') return
  throw new UsageError(
    `${SWITCH}=0 switches off certificate checks: unset it, and name an authority of your own with --ca FILE`,
  )
}
