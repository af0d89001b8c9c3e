export {
  type BackupAccount,
  type BackupManifest,
  type BackupProject,
  LAYOUT_VERSION,
  readBackupManifest,
  readManifestList,
} from './backup-manifest.ts'
export {
  CONTENT,
  type Content,
  contentIn,
  contentOf,
  FORMATS,
  type Format,
  formatFacts,
  heldContent,
  streamsHeld,
  streamsNeeded,
} from './content.ts'
export { type Coverage, covers, lackOf, ofAnother } from './coverage.ts'
export {
  BACKUP_NAME,
  backupName,
  backupNames,
  LATEST,
  locateBackup,
  readLatest,
  refuseForeignBag,
  timeOfBackup,
} from './locate.ts'
export { isOurBackup, type ManifestFacts, readManifestFacts } from './manifest-facts.ts'
export { BAG_LABELS, mayBeOfOneService, serviceOf } from './service-of.ts'
