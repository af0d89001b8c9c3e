import { stat } from 'node:fs/promises'
import { archiveKind, decrypterFor, verifyArchive } from '@collab-etl/bagit/archive'
import { type Context, EXIT, type ExitCode, UsageError } from '@collab-etl/cli'
import { countProgress } from '../show/count-progress.ts'
import { reportVerify } from '../show/verify-report.ts'

/** Flags of commands that open encrypted archives. */
export const DECRYPT_OPTIONS = {
  identity: { type: 'string', describe: 'FILE  opens an encrypted archive with a key as age-keygen writes it' },
  'passphrase-file': {
    type: 'string',
    describe: 'FILE  opens an encrypted archive with the passphrase in the first line of this file',
  },
} as const

interface Flags {
  readonly identity?: string | undefined
  readonly 'passphrase-file'?: string | undefined
}

/** Verifies an archive; `null` if the file is not one. */
export async function verifyArchiveFile(
  { stdout, progress, signal }: Context,
  named: string,
  { identity: identityFile, 'passphrase-file': passphraseFile }: Flags,
): Promise<ExitCode | null> {
  const isFile = (await stat(named).catch(() => null))?.isFile() ?? false
  const isArchive = isFile && (await archiveKind(named)) !== null
  if (!isArchive) {
    if (identityFile === undefined && passphraseFile === undefined) return null
    throw new UsageError(`--identity and --passphrase-file are for archives, which ${named} is not`)
  }
  const begun = performance.now()
  const line = progress.line(`checking ${named}`)
  const report = await verifyArchive(named, {
    decrypter: await decrypterFor({ identityFile, passphraseFile }),
    signal,
    onProgress: countProgress(line, 'checking', 'files'),
  })
  line.end()
  const milliseconds = performance.now() - begun
  reportVerify(stdout, report, { path: named, mode: 'full', sample: null, recorded: false, milliseconds })
  return report.damage.length === 0 ? EXIT.ok : EXIT.damage
}
