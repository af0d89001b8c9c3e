/** What the warehouse holds that backups are made from. The same world is always the same rows. */
export interface DocumentWorld {
  readonly projects: number
  /** Over all projects. */
  readonly pages: number
  readonly posts: number
}

/** How many projects pages and posts are spread over, whatever their number. */
export const DOCUMENT_PROJECTS = 8
