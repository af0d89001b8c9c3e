import { ARCHIVE_FORMATS, type ArchiveFormat, archiveSuffix, encrypterFor } from '@collab-etl/bagit/archive'
import { UsageError } from '@collab-etl/cli'
import type { Encrypter } from 'age-encryption'
import type { OpensWith } from '../show/archive-report.ts'

/** The format of an archive, and its keys, read and checked. */
export interface ArchivePlan {
  readonly format: ArchiveFormat
  readonly encrypter: Encrypter | null
  readonly opensWith: OpensWith
  /** What follows the backup's name. */
  readonly suffix: string
}

/** Flags of the commands that encrypt. */
export const ENCRYPT_OPTIONS = {
  encrypt: {
    type: 'string',
    array: true,
    describe: 'RECIPIENT…  encrypts the archive for the holders of these keys: age1…; repeatable',
  },
  'encrypt-passphrase-file': {
    type: 'string',
    describe: 'FILE  encrypts the archive with the passphrase in the first line of this file',
  },
} as const

interface Flags {
  readonly encrypt?: readonly string[] | undefined
  readonly 'encrypt-passphrase-file'?: string | undefined
}

/** Reads the flags before anything is written; `null` if no archive is requested. */
export async function planArchive(flag: string, format: string | undefined, flags: Flags): Promise<ArchivePlan | null> {
  const { encrypt: recipients, 'encrypt-passphrase-file': passphraseFile } = flags
  if (format === undefined) {
    if (recipients === undefined && passphraseFile === undefined) return null
    throw new UsageError(`a directory cannot be encrypted: give ${flag} tar.gz, tar.zst or zip with --encrypt`)
  }
  const known = parseArchiveFormat(flag, format)
  const encrypter = await encrypterFor({ recipients, passphraseFile })
  const opensWith = encrypter && (recipients === undefined ? 'passphrase' : 'key')
  return { format: known, encrypter, opensWith, suffix: archiveSuffix(known, encrypter !== null) }
}

/** Reads `--archive tar.gz` or `--as tar.gz`. */
function parseArchiveFormat(flag: string, text: string): ArchiveFormat {
  const format = ARCHIVE_FORMATS.find((known) => known === text)
  if (format !== undefined) return format
  throw new UsageError(`${flag} must be one of ${ARCHIVE_FORMATS.join(', ')}, not "${text}"`)
}
