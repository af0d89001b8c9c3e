import { readFile } from 'node:fs/promises'
import { UsageError } from '@collab-etl/cli'
import type { Decrypter, Encrypter } from 'age-encryption'

/** Flags that say for whom an archive is encrypted; a passphrase itself is never one, as it would show in `ps`. */
export interface EncryptFlags {
  /** `age1…`, for the holders of those keys. */
  readonly recipients: readonly string[] | undefined
  readonly passphraseFile: string | undefined
}

/** What encrypts an archive as the flags ask for; `null` where they do not. */
export async function encrypterFor({ recipients, passphraseFile }: EncryptFlags): Promise<Encrypter | null> {
  if (recipients === undefined && passphraseFile === undefined) return null
  if (recipients !== undefined && passphraseFile !== undefined) {
    throw new UsageError('give either --encrypt or --encrypt-passphrase-file: the age format takes no file for both')
  }
  const { Encrypter } = await import('age-encryption') // a tenth of a second, which few runs need
  const encrypter = new Encrypter()
  if (passphraseFile !== undefined) {
    encrypter.setPassphrase(await readPassphrase('--encrypt-passphrase-file', passphraseFile))
    return encrypter
  }
  for (const recipient of recipients ?? []) addRecipient(encrypter, recipient)
  return encrypter
}

/** Flags that say how an encrypted archive is opened. */
export interface DecryptFlags {
  /** A file as `age-keygen` writes it: `AGE-SECRET-KEY-1…`, comments after `#`. */
  readonly identityFile: string | undefined
  readonly passphraseFile: string | undefined
}

/** What opens an archive; `null` where no key was given. */
export async function decrypterFor({ identityFile, passphraseFile }: DecryptFlags): Promise<Decrypter | null> {
  if (identityFile === undefined && passphraseFile === undefined) return null
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  if (passphraseFile !== undefined) decrypter.addPassphrase(await readPassphrase('--passphrase-file', passphraseFile))
  if (identityFile !== undefined) {
    const lines = (await readKeyFile('--identity', identityFile)).split(/\r?\n/).map((line) => line.trim())
    const identities = lines.filter((line) => line !== '' && !line.startsWith('#'))
    if (identities.length === 0) throw new UsageError(`--identity: ${identityFile} holds no AGE-SECRET-KEY-1…`)
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
    throw new UsageError(`--encrypt must be a recipient of the form age1…, which${shown} is not`, { cause })
  }
}

function addIdentity(decrypter: Decrypter, identity: string, file: string): void {
  try {
    decrypter.addIdentity(identity)
  } catch {
    // The cause may hold the key.
    throw new UsageError(`--identity: ${file} has a line that is no AGE-SECRET-KEY-1…`)
  }
}

/** The first line of a file, as files end in a line feed that nobody types. */
async function readPassphrase(flag: string, file: string): Promise<string> {
  const passphrase = (await readKeyFile(flag, file)).split(/\r?\n/)[0] ?? ''
  if (passphrase === '') throw new UsageError(`${flag}: the first line of ${file} is empty; the passphrase goes there`)
  return passphrase
}

async function readKeyFile(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason'
    throw new UsageError(`${flag}: ${file} cannot be read (${code})`, { cause })
  }
}
