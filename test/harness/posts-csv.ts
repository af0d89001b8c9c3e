import type { ProjectTruth } from '@collab-etl/sandbox'

/** A file for `--posts-file` that names all posts of these projects: the service lists none. */
export function postsCsv(truths: readonly ProjectTruth[]): string {
  const posts = truths.flatMap(({ detail, posts: of }) => of.map(({ post }) => `${detail.pid},${post.post_id}`))
  return ['pid,post_id', ...posts, ''].join('\n')
}
