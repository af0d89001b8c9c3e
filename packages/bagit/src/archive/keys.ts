import { readFile } from 'node:fs/promises'
import type { Decrypter, Encrypter } from 'age-encryption'
import { BagError } from '../errors.ts'

/** For whom to encrypt an archive. A passphrase is given as a file, as an argument of a process is visible to others. */
export interface EncryptionKeys {
  /** `age1…`, for the holders of those keys. */
  readonly recipients: readonly string[] | undefined
  readonly passphraseFile: string | undefined
}

/**
 * Encrypts an archive; `null` if no key is given.
 * @throws BagError `BAD_KEY`
 */
export async function encrypterFor({ recipients, passphraseFile }: EncryptionKeys): Promise<Encrypter | null> {
  if (recipients === undefined && passphraseFile === undefined) return null
  if (recipients !== undefined && passphraseFile !== undefined) {
    throw new BagError(
      'BAD_KEY',
      'an archive is encrypted either for recipients or with a passphrase: give one of them',
    )
  }
  const { Encrypter } = await import('age-encryption') // a tenth of a second, which few runs need
  const encrypter = new Encrypter()
  if (passphraseFile !== undefined) {
    encrypter.setPassphrase(await readPassphrase(passphraseFile))
    return encrypter
  }
  for (const recipient of recipients ?? []) addRecipient(encrypter, recipient)
  return encrypter
}

/** How to open an encrypted archive. */
export interface DecryptionKeys {
  /** A file as `age-keygen` writes it: `AGE-SECRET-KEY-1…`, comments after `#`. */
  readonly identityFile: string | undefined
  readonly passphraseFile: string | undefined
}

/**
 * Opens an encrypted archive; `null` if no key is given.
 * @throws BagError `BAD_KEY`
 */
export async function decrypterFor({ identityFile, passphraseFile }: DecryptionKeys): Promise<Decrypter | null> {
  if (identityFile === undefined && passphraseFile === undefined) return null
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  if (passphraseFile !== undefined) decrypter.addPassphrase(await readPassphrase(passphraseFile))
  if (identityFile !== undefined) {
    const lines = (await readKeyFile('identity file', identityFile)).split(/\r?\n/).map((line) => line.trim())
    const identities = lines.filter((line) => line !== '' && !line.startsWith('#'))
    if (identities.length === 0)
      throw new BagError('BAD_KEY', `the identity file ${identityFile} holds no AGE-SECRET-KEY-1…`)
    for (const identity of identities) addIdentity(decrypter, identity, identityFile)
  }
  return decrypter
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient)
  } catch (cause) {
    // Whoever gives the secret key by mistake must not find it in a log as well.
    const shown = /^age1/.test(recipient) ? ` "${recipient}"` : ''
    throw new BagError('BAD_KEY', `the recipient${shown} is not of the form age1…`, { cause })
  }
}

function addIdentity(decrypter: Decrypter, identity: string, file: string): void {
  try {
    decrypter.addIdentity(identity)
  } catch {
    // The cause may hold the key.
    throw new BagError('BAD_KEY', `the identity file ${file} has a line that is not an AGE-SECRET-KEY-1…`)
  }
}

/** The first line of a file, without its line end, which is not part of a passphrase. */
async function readPassphrase(file: string): Promise<string> {
  const passphrase = (await readKeyFile('passphrase file', file)).split(/\r?\n/)[0] ?? ''
  if (passphrase === '') throw new BagError('BAD_KEY', `the first line of ${file} is empty: write the passphrase there`)
  return passphrase
}

async function readKeyFile(what: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason'
    throw new BagError('BAD_KEY', `the ${what} ${file} cannot be read (${code})`, { cause })
  }
}
