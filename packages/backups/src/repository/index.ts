export {
  archivesOffRecord,
  damagedCopies,
  decideArchives,
  isAsWritten,
  type ListedArchive,
  listArchives,
  noteGone,
  recordArchive,
  recordArchiveVerification,
  removeArchive,
} from './archives.ts'
export { type ListedBackup, listBackups } from './list-backups.ts'
export { before, keptBy, type Policy, parseDuration, periodOf } from './policy.ts'
export { type EarlierBackup, openPreviousBackup, type PreviousBackup, whyUnusable } from './previous-backup.ts'
export { lessThanLatest, type NotLatest, pointLatest, publishBackup } from './publish.ts'
export { type BackupPlace, backupPlaceOf } from './records.ts'
export { type Removed, removeBackup } from './remove-backups.ts'
export { type Decision, decide } from './retention.ts'
export { passTurn, readMark, recordVerification, sampleOf, type VerifyMode } from './verified-mark.ts'
