/** Contents of the warehouse for backups. The same world always has the same rows. */
export interface DocumentWorld {
  readonly projects: number
  /** Over all projects. */
  readonly pages: number
  readonly posts: number
  /** One in a hundred pages and posts is changed: by each version in another way. Default 0: as written. */
  readonly version?: number
}

/** Number of projects over which pages and posts are distributed. */
export const DOCUMENT_PROJECTS = 8
