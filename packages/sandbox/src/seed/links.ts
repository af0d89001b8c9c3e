import type { Random } from '../store/random.ts'
import type { Outline } from './outline.ts'
import type { Language } from './texts/language.ts'

/** Address of the service's web pages. Fixed, because the data must not depend on the sandbox's port. */
const WEB = 'https://collab.example'

export interface LinkTarget {
  readonly pid: string
  readonly kind: 'page' | 'post' | 'file'
  readonly id: string
  readonly title: string
}

type Source = 'page' | 'task' | 'event' | 'post'

/** The links of each text, decided before the texts are written. */
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

/** One in so many posts is not linked. */
const UNLINKED_EVERY = 4

/**
 * Links most posts from a page, a task, an event or a discoverable post. Returns the ids of the others, which a client cannot
 * discover.
 */
export function linkPosts(outline: Outline, links: Links): { unlinked: string[] } {
  const random = outline.random.fork('post-links')
  const unlinked: string[] = []
  const discoverable: number[] = []
  const { pages, tasks, events } = outline.sizes
  for (const [index, id] of outline.postIds.entries()) {
    const sources: [Source, number][] = [
      ...(pages > 0 ? ([['page', random.int(0, pages - 1)]] as const) : []),
      ...(tasks > 0 ? ([['task', random.int(0, tasks - 1)]] as const) : []),
      ...(events > 0 ? ([['event', random.int(0, events - 1)]] as const) : []),
      ...(discoverable.length > 0 ? ([['post', random.pick(discoverable)]] as const) : []),
    ].map(([source, place]) => [source, place])
    const source = sources[index % Math.max(1, sources.length)]
    if (!source || index % UNLINKED_EVERY === UNLINKED_EVERY - 1) {
      unlinked.push(id)
      continue
    }
    links.add(...source, { pid: outline.reference.pid, kind: 'post', id, title: random.pick(outline.language.posts) })
    discoverable.push(index)
  }
  return { unlinked }
}

/** A sentence with a link in plain text, as an address. */
export function plainLink(random: Random, language: Language, { pid, kind, id }: LinkTarget): string {
  return random.pick(language.see).replace('{}', `${WEB}/${random.pick(['project', 'projects'])}/${pid}/${kind}s/${id}`)
}

/** A sentence with a Markdown link in one of the usual forms. `from` is the id of the project that contains the text. */
export function markdownLink(random: Random, language: Language, from: string, target: LinkTarget): string {
  const { pid, kind, id, title } = target
  const forms = [
    `[${title}](${WEB}/project/${pid}/${kind}/${id})`,
    `[${title}](/projects/${pid}/${kind}s/${id})`,
    `[${title}](/project/${pid}/${kind}/${id} "${kind}")`,
    `<${WEB}/projects/${pid}/${kind}s/${id}?from=mail#top>`,
    `<a href="${WEB}/project/${pid}/${kind}/${id}">${title}</a>`,
    // A link without a project refers to the project of its text.
    ...(pid === from ? [`[${title}](../${kind}s/${id})`, `[**${title}**](/${kind}/${id})`] : []),
  ]
  return random.pick(language.see).replace('{}', random.pick(forms))
}
