import { UsageError } from '@collab-etl/cli'

/** Forms of one file that holds a backup. */
const ARCHIVE_FORMATS = ['tar.gz', 'tar.zst', 'zip'] as const

export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number]

/** What follows the name of an encrypted archive. */
const ENCRYPTED_SUFFIX = '.age'

/** Reads `--archive tar.gz` or `--as tar.gz`. */
export function parseArchiveFormat(flag: string, text: string): ArchiveFormat {
  const format = ARCHIVE_FORMATS.find((known) => known === text)
  if (format !== undefined) return format
  throw new UsageError(`${flag} must be one of ${ARCHIVE_FORMATS.join(', ')}, not "${text}"`)
}

/** The end of an archive's file name: `.tar.gz`, `.zip.age`. */
export function archiveSuffix(format: ArchiveFormat, encrypted: boolean): string {
  return `.${format}${encrypted ? ENCRYPTED_SUFFIX : ''}`
}
