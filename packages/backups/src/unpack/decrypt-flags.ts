import { stat } from 'node:fs/promises'
import { archiveKind, decrypterFor } from '@collab-etl/bagit/archive'
import { UsageError } from '@collab-etl/cli'

type Decrypter = Awaited<ReturnType<typeof decrypterFor>>

/** Flags of commands that open encrypted archives. */
export const DECRYPT_OPTIONS = {
  identity: { type: 'string', describe: 'FILE  opens an encrypted archive with a key as age-keygen writes it' },
  'passphrase-file': {
    type: 'string',
    describe: 'FILE  opens an encrypted archive with the passphrase in the first line of this file',
  },
} as const

export interface DecryptFlags {
  readonly identity?: string | undefined
  readonly 'passphrase-file'?: string | undefined
}

/**
 * What opens a file that is an archive; `null` if the file is none.
 * @throws UsageError if keys were given for anything else
 */
export async function archiveKeys(
  named: string,
  { identity: identityFile, 'passphrase-file': passphraseFile }: DecryptFlags,
): Promise<{ readonly decrypter: Decrypter } | null> {
  const isFile = (await stat(named).catch(() => null))?.isFile() ?? false
  if (isFile && (await archiveKind(named)) !== null) {
    return { decrypter: await decrypterFor({ identityFile, passphraseFile }) }
  }
  if (identityFile === undefined && passphraseFile === undefined) return null
  throw new UsageError(`--identity and --passphrase-file are for archives, which ${named} is not`)
}
