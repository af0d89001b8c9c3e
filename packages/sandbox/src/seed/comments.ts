import type { Random } from '../store/random.ts'
import type { CommentRecord, FileRecord } from '../store/state.ts'
import { attached } from '../store/views.ts'
import { iso, since } from './clock.ts'
import type { Outline } from './outline.ts'

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
