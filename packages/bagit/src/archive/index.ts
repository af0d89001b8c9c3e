export { archiveKind } from './archive-reader.ts'
export { ARCHIVE_FORMATS, type ArchiveFormat, archiveSuffix } from './format.ts'
export { type VerifyArchiveOptions, verifyArchive } from './verify-archive.ts'
export { type ArchiveJob, type ArchiveTarget, openArchiveTarget, type WrittenArchive } from './write-archive.ts'
