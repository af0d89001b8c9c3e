import type { LinkPlaces } from '../link-places.ts'
import type { People } from '../people.ts'
import type { StartScript } from './assets.ts'
import type { Terms } from './search/terms.ts'

/** Used by all pages of the site. */
export interface SiteTools {
  readonly places: LinkPlaces
  readonly people: People
  readonly start: StartScript
  readonly terms: Terms
  /** Whether to report links to records that have no file: not if another format reports them. */
  readonly reportsLinks: boolean
}
