import type { ProjectState } from '../store/state.ts'
import { summaryOf } from '../store/summary.ts'
import type { Attachments } from './attachments.ts'
import { iso, pastTime, since } from './clock.ts'
import { makeComments } from './comments.ts'
import type { Links } from './links.ts'
import { markdown } from './markdown.ts'
import type { Outline } from './outline.ts'

/** Posts with their comments. */
export function makePosts(outline: Outline, links: Links, attachments: Attachments): ProjectState['posts'] {
  const random = outline.random.fork('posts')
  const { language, people, reference, postIds } = outline
  return postIds.map((post_id, index) => {
    const created = pastTime(random)
    const content = markdown(random, language, reference.pid, links.of('post', index))
    const post = {
      post_id,
      pid: reference.pid,
      name: random.pick(language.posts),
      summary: summaryOf(content),
      created_at: iso(created),
      updated_at: iso(since(random, created)),
      owner: random.pick(people),
      content,
      watchers: random.some(people, random.int(1, 4)),
    }
    return { post, comments: makeComments(random, outline, created, 6, attachments.onPost.get(index) ?? []) }
  })
}

/** Files and folders with their comments. */
export function makeFiles(outline: Outline, { records, onFile }: Attachments): ProjectState['files'] {
  const random = outline.random.fork('file-comments')
  return records.map((file) => {
    const files = onFile.get(file.fid) ?? []
    return { file, comments: makeComments(random, outline, Date.parse(file.created_at), 2, files) }
  })
}
