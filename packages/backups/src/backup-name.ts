/** The name of a backup's directory. */
export const BACKUP_NAME = /^\d{8}T\d{6}Z$/

/** The symbolic link to the latest backup. */
export const LATEST = 'latest'

/** The name of a backup begun at `time`: `20240131T235959Z`. The order of names is the order of times. */
export function backupName(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

/** The time in a backup's name; `null` if it is not a name of a backup. */
export function timeOfBackup(name: string): Date | null {
  if (!BACKUP_NAME.test(name)) return null
  const time = new Date(name.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  // `Date` rolls the 31st of February over into March.
  return !Number.isNaN(time.getTime()) && backupName(time) === name ? time : null
}
