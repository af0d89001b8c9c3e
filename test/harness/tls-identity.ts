import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  cryptoProvider,
  type GeneralNameType,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const SIGNING = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const HOUR_MS = 3_600_000

cryptoProvider.set(webcrypto as typeof globalThis.crypto) // one interface, declared twice

/** A certificate and its key, in PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

/** A private certificate authority. */
export interface Authority {
  readonly pem: string
  /** A TLS certificate for a host, valid from an hour ago for so many hours. */
  identity(type: GeneralNameType, name: string, hours: number): Promise<Identity>
}

export async function makeAuthority(): Promise<Authority> {
  const keys = await newKeys()
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=An authority of our own',
    ...validity(24),
    keys,
    signingAlgorithm: SIGNING,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  })
  return {
    pem: authority.toString('pem'),
    async identity(type, name, hours) {
      const own = await newKeys()
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: authority.subject,
        ...validity(hours),
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: SIGNING,
        extensions: [new SubjectAlternativeNameExtension([{ type, value: name }])],
      })
      return { cert: certificate.toString('pem'), key: await privatePem(own.privateKey) }
    },
  }
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(SIGNING, true, ['sign', 'verify'])
}

function validity(hours: number): { readonly notBefore: Date; readonly notAfter: Date } {
  const notBefore = Date.now() - HOUR_MS
  return { notBefore: new Date(notBefore), notAfter: new Date(notBefore + hours * HOUR_MS) }
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`
}
