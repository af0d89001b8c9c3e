import type { Random } from '../store/random.ts'
import type { CommentRecord, FileRecord, PageRecord, ProjectState } from '../store/state.ts'
import { attached, summaryOf } from '../store/views.ts'
import type { Attachments } from './attachments.ts'
import type { Links } from './links.ts'
import { markdown } from './markdown.ts'
import { iso, type Outline, pastTime, since } from './outline.ts'

/** Depth of page trees. */
const DEEPEST = 6

/** Pages as a forest with several roots, chains, wide families and siblings of the same name. */
export function makePages(outline: Outline, links: Links): PageRecord[] {
  const random = outline.random.fork('pages')
  const { language, people, reference, pageIds } = outline
  const depths: number[] = []
  return pageIds.map((page_id, index): PageRecord => {
    // A recent parent makes chains, any parent makes wide families.
    const parent = random.chance(0.5) ? index - random.int(1, 3) : random.int(0, index - 1)
    const depth = (depths[parent] ?? DEEPEST) + 1
    const isRoot = index === 0 || depth > DEEPEST || random.chance(0.15)
    depths.push(isRoot ? 1 : depth)
    const created = pastTime(random)
    const content = markdown(random, language, reference.pid, links.of('page', index))
    return {
      page_id,
      parent_id: isRoot ? '' : (pageIds[parent] ?? ''),
      pid: reference.pid,
      name: random.pick(language.pages),
      summary: summaryOf(content),
      created_at: iso(created),
      updated_at: iso(since(random, created)),
      owner: random.pick(people),
      watchers: random.some(people, random.int(0, 3)),
      content,
    }
  })
}

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

const TEXT = 1
const HTML = 2
const EMOTION = 2
const AUDIO = 3

/** Comments from `from` on, oldest first, with these files attached; at least one where there are files. */
export function makeComments(
  random: Random,
  outline: Outline,
  from: number,
  most: number,
  files: readonly FileRecord[],
): CommentRecord[] {
  const times = Array.from({ length: Math.max(random.int(0, most), files.length > 0 ? 1 : 0) }, () =>
    since(random, from),
  )
  const comments = times.sort((a, b) => a - b).map((time) => makeComment(random, outline, time))
  for (const file of files) {
    const comment = random.pick(comments)
    comment.fids.push(file.fid)
    comment.files.push(attached(file))
  }
  return comments
}

function makeComment(random: Random, { language, people }: Outline, time: number): CommentRecord {
  const rare = random.int(0, 19)
  const type = rare === 0 ? EMOTION : rare === 1 ? AUDIO : TEXT
  const html = type === TEXT && random.chance(0.2)
  const raw = type === EMOTION ? '👍' : type === AUDIO ? '' : random.pick(language.comments)
  return {
    cid: random.id(),
    message: html ? `<p>${raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>` : raw,
    raw_message: raw,
    type,
    format: html ? HTML : TEXT,
    fids: [],
    owner: random.pick(people),
    files: [],
    created_at: iso(time),
  }
}
