import type { FileSink } from '../file-sink.ts'
import type { LinkPlaces } from '../link-places.ts'
import type { PathIndex } from '../path-index.ts'
import type { People } from '../people.ts'
import type { RowSource } from '../row.ts'
import type { BackupLoss } from '../tree/head.ts'

/** What the site is written with. */
export interface SiteTools {
  readonly source: RowSource
  readonly bag: FileSink
  readonly index: PathIndex
  readonly places: LinkPlaces
  readonly people: People
  readonly signal: AbortSignal
  /** Takes what the site could not show as it is. */
  readonly lose: (loss: BackupLoss) => void
  /** Set where the Markdown files of the same backup tell what is lost in both. */
  readonly markdown: unknown
}
