/** Error code of a scope of which a backup does not say how it was read. */
export const NOT_STATED = 'NOT_STATED'

/** A backup, and when its newest data were read. */
export interface BackupToLoad {
  readonly name: string
  readonly readAt: Date
}

/** The order in which backups are stored, the oldest first. Names are in the order of time, but one may hold an earlier state (`--as-of`). */
export function compareBackups(a: BackupToLoad, b: BackupToLoad): number {
  return +a.readAt - +b.readAt || (a.name < b.name ? -1 : Number(a.name > b.name))
}
