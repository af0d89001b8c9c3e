/** The tables of ids of posts and files that are known, each with the resource table (and stream) that they belong to. */
export const KNOWN_IDS = {
  post: { known: 'known_posts', table: 'posts', id: 'post_id' },
  file: { known: 'known_files', table: 'files', id: 'fid' },
} as const

/** The same as a list, in the order in which they are written. */
export const KNOWN_ID_TABLES = Object.values(KNOWN_IDS)
