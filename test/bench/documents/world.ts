/** Contents of the warehouse for backups. The same world always has the same rows. */
export interface DocumentWorld {
  readonly projects: number
  /** Over all projects. */
  readonly pages: number
  readonly posts: number
  /** Over all projects. Default: 0. */
  readonly tasks?: number
  /** Number of different words in texts, drawn so that few are common and most are rare. Default: texts are made of few words. */
  readonly vocabulary?: number
  /** Each version but 0 changes one in a hundred pages and posts, in a way of its own. Default: 0. */
  readonly version?: number
}

/** Number of projects over which pages and posts are distributed. */
export const DOCUMENT_PROJECTS = 8
