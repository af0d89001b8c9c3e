import type { Atlas } from '../backup/atlas.ts'
import type { LinkPlaces } from '../backup/link-places.ts'
import type { People } from '../backup/people.ts'
import type { BagWriter } from '../bag/bag-writer.ts'
import type { BackupSource } from '../source/backup-source.ts'
import type { BackupLoss } from '../tree/head.ts'

/** What the site is written with. */
export interface SiteTools {
  readonly source: BackupSource
  readonly bag: BagWriter
  readonly atlas: Atlas
  readonly places: LinkPlaces
  readonly people: People
  readonly signal: AbortSignal
  /** Takes what the site could not show as it is. */
  readonly lose: (loss: BackupLoss) => void
  /** Set where the Markdown files of the same backup tell what is lost in both. */
  readonly markdown: unknown
}
