import type { Outline } from './outline.ts'
import type { Random } from './random.ts'
import type { Language } from './texts/language.ts'

/** Where the service's web pages would be. Fixed, as the data must not depend on the sandbox's port. */
const WEB = 'https://collab.example'

/** What a link leads to. */
export interface LinkTarget {
  readonly pid: string
  readonly kind: 'page' | 'post' | 'file'
  readonly id: string
  readonly title: string
}

type Source = 'page' | 'task' | 'event' | 'post'

/** Which texts link to what: decided before they are written. */
export class Links {
  readonly #bySource = new Map<string, LinkTarget[]>()

  add(source: Source, index: number, target: LinkTarget): void {
    const key = `${source} ${index}`
    this.#bySource.set(key, [...(this.#bySource.get(key) ?? []), target])
  }

  of(source: Source, index: number): readonly LinkTarget[] {
    return this.#bySource.get(`${source} ${index}`) ?? []
  }
}

/** Every how many posts one is linked from nowhere. */
const UNLINKED_EVERY = 4

/**
 * Makes sure that posts can be found: most of them are linked from a page, a task, an event, or a post that itself can be
 * found. The others are given back: nothing leads to them.
 */
export function linkPosts(outline: Outline, links: Links): { unlinked: string[] } {
  const random = outline.random.fork('post-links')
  const unlinked: string[] = []
  const findable: number[] = []
  const { pages, tasks, events } = outline.sizes
  for (const [index, id] of outline.postIds.entries()) {
    const sources: [Source, number][] = [
      ...(pages > 0 ? ([['page', random.int(0, pages - 1)]] as const) : []),
      ...(tasks > 0 ? ([['task', random.int(0, tasks - 1)]] as const) : []),
      ...(events > 0 ? ([['event', random.int(0, events - 1)]] as const) : []),
      ...(findable.length > 0 ? ([['post', random.pick(findable)]] as const) : []),
    ].map(([source, place]) => [source, place])
    const source = sources[index % Math.max(1, sources.length)]
    if (!source || index % UNLINKED_EVERY === UNLINKED_EVERY - 1) {
      unlinked.push(id)
      continue
    }
    links.add(...source, { pid: outline.reference.pid, kind: 'post', id, title: random.pick(outline.language.posts) })
    findable.push(index)
  }
  return { unlinked }
}

/** A sentence with a link in plain text, where nothing but an address makes one. */
export function plainLink(random: Random, language: Language, { pid, kind, id }: LinkTarget): string {
  return random.pick(language.see).replace('{}', `${WEB}/${random.pick(['project', 'projects'])}/${pid}/${kind}s/${id}`)
}

/** A sentence with a link in Markdown, in one of the ways in which people write them. `from` is the project it stands in. */
export function markdownLink(random: Random, language: Language, from: string, target: LinkTarget): string {
  const { pid, kind, id, title } = target
  const forms = [
    `[${title}](${WEB}/project/${pid}/${kind}/${id})`,
    `[${title}](/projects/${pid}/${kind}s/${id})`,
    `[${title}](/project/${pid}/${kind}/${id} "${kind}")`,
    `<${WEB}/projects/${pid}/${kind}s/${id}?from=mail#top>`,
    `<a href="${WEB}/project/${pid}/${kind}/${id}">${title}</a>`,
    // Without a project, a link is about the one in which it stands.
    ...(pid === from ? [`[${title}](../${kind}s/${id})`, `[**${title}**](/${kind}/${id})`] : []),
  ]
  return random.pick(language.see).replace('{}', random.pick(forms))
}
