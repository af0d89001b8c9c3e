/** The formats of archives. */
export const ARCHIVE_FORMATS = ['tar.gz', 'tar.zst', 'zip'] as const

export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number]

/** The additional extension of an encrypted archive. */
const ENCRYPTED_SUFFIX = '.age'

/** The end of an archive's file name: `.tar.gz`, `.zip.age`. */
export function archiveSuffix(format: ArchiveFormat, encrypted: boolean): string {
  return `.${format}${encrypted ? ENCRYPTED_SUFFIX : ''}`
}
