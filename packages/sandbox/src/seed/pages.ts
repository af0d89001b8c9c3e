import type { PageRecord } from '../store/state.ts'
import { summaryOf } from '../store/summary.ts'
import { iso, pastTime, since } from './clock.ts'
import type { Links } from './links.ts'
import { markdown } from './markdown.ts'
import type { Outline } from './outline.ts'

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
