import { posix } from 'node:path'
import { PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { isWithinParseBudget, rewriteLinks } from '@collab-etl/documents'

/** Where a link leads in the service's own form, which is recognised when the site is rendered. */
interface Target {
  readonly address: string
  readonly note: string
  readonly title: null
}

/** `[[path#place|text]]`, as `--links wiki` writes it. */
const WIKI_LINK = /\[\[([^\]|\n\\]+)\\?\|([^\]\n]*)\]\]/g

const OTHER_PLACE = /^(?:[a-z][a-z0-9+.-]*:|\/|#|$)/i

/** Turns links between the Markdown files of a backup back into links between records. */
export class MarkdownLinks {
  readonly #targets = new Map<string, Target>()
  readonly #hasWikiLinks: boolean

  /** `folders`: ids of projects by their folders, relative to the backup. */
  constructor(folders: ReadonlyMap<string, string>, hasWikiLinks: boolean) {
    this.#hasWikiLinks = hasWikiLinks
    for (const [folder, pid] of folders) this.#addTarget(`${folder}/README.md`, `/project/${segment(pid)}`)
  }

  /** Adds a file; `path` is relative to the backup. */
  add({ path, pid, kind, id }: Readonly<Record<'path' | 'pid' | 'kind' | 'id', string>>): void {
    this.#addTarget(path, `/project/${segment(pid)}/${kind}/${segment(id)}`)
  }

  /** A text of the file at `path`, with links to files of the backup leading to their records. */
  async ofRecords(text: string, path: string): Promise<string> {
    const own = this.#hasWikiLinks
      ? text.replace(WIKI_LINK, (link, note, label) => this.#ofWiki(link, note, label))
      : text
    if (!/[(<"]|\]:/.test(own) || !isWithinParseBudget(own)) return own
    return await rewriteLinks(own, 'relative', async (url) => this.#find(url, path))
  }

  #addTarget(path: string, address: string): void {
    this.#targets.set(path, { address, note: '', title: null })
  }

  #find(url: string, from: string): Target | null {
    if (OTHER_PLACE.test(url)) return null
    const hash = url.indexOf('#')
    const [file, fragment] = hash === -1 ? [url, ''] : [url.slice(0, hash), url.slice(hash)]
    const path = posix.join(posix.dirname(from), decoded(file))
    const found = this.#targets.get(path) ?? this.#targets.get(`${path}.md`)
    return found === undefined ? null : { ...found, address: found.address + fragment }
  }

  #ofWiki(link: string, noteAndPlace: string, label: string): string {
    const [note = '', place] = noteAndPlace.split('#')
    const found = this.#targets.get(`${PAYLOAD_FOLDER}/markdown/${note}.md`)
    const fragment = place === undefined ? '' : `#${encodeURIComponent(place.toWellFormed())}`
    return found === undefined ? link : `[${label}](<${found.address}${fragment}>)`
  }
}

/** An id as a part of an address: every character is encoded that could end it. */
function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replace(
    /[!'()*.]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
