import { mayHoldText } from '@collab-etl/contract/bare-address'
import type { Element, Root, Text } from 'hast'
import { bareAddresses } from '../../markdown/bare-links.ts'
import { decoded } from '../../markdown/links.ts'
import { oneLine } from '../../one-line.ts'
import { withoutControls } from '../markup.ts'
import { plainText } from './plain-text.ts'
import { walk } from './walk.ts'

/** The file of the site that a link leads to. */
interface LinkTarget {
  readonly address: string
  /** Title of the record; `null` or empty if it has none. */
  readonly title: string | null
}

/** Finds the file of the site that a link leads to; `null` if there is none. */
export type LinkTo = (url: string) => Promise<LinkTarget | null>

const WEB = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * Resolves the links of a text: to a file of the site, to an element of the same text (whose ids have their prefix), or to the web.
 * Any other link is replaced by its text, with the address as its tooltip. A link to a record whose text is its own address shows the
 * title of the record.
 */
export async function resolveLinks(tree: Root, idPrefix: string, linkTo: LinkTo): Promise<void> {
  const links: Element[] = []
  walk(tree, (node, index, parent) => {
    if (node.tagName !== 'a') return undefined
    const parts = partsOf(node)
    if (parts !== null) parent.children.splice(index, 1, ...parts)
    links.push(...(parts?.filter((part) => part.type === 'element') ?? [node]))
    return parts === null ? undefined : index + parts.length
  })
  for (const link of links) await resolveLink(link, idPrefix, linkTo)
}

/** Splits a bare link into the addresses in it, as links, and the text around them; `null` if all of it is one address. */
function partsOf(link: Element): (Element | Text)[] | null {
  const [only] = link.children
  const url = link.properties['href']
  if (link.children.length > 1 || only?.type !== 'text' || typeof url !== 'string' || !isBare(link, url)) return null
  const addresses = BEGINNING.test(only.value) ? bareAddresses(only.value) : []
  if (addresses.length === 0 || addresses[0]?.end === only.value.length) return null
  const parts: (Element | Text)[] = []
  let at = 0
  for (const { start, end, url: href } of addresses) {
    if (start > at) parts.push({ type: 'text', value: only.value.slice(at, start) })
    const text: Text = { type: 'text', value: only.value.slice(start, end) }
    parts.push({ ...link, properties: { ...link.properties, href }, children: [text] })
    at = end
  }
  if (at < only.value.length) parts.push({ type: 'text', value: only.value.slice(at) })
  return parts
}

const BEGINNING = /^(?:https?:\/\/|www\.)/i

async function resolveLink(link: Element, idPrefix: string, linkTo: LinkTo): Promise<void> {
  const url = link.properties['href']
  if (typeof url !== 'string') {
    link.tagName = 'span'
    return
  }
  // An element of the same text, prefixed already, or the beginning of the page.
  if (url.startsWith(`#${idPrefix}`) || isTop(url)) return
  const own = await linkTo(url)
  if (own !== null) {
    link.properties['href'] = own.address
    if (own.title !== null && isBare(link, url) && !mayHoldText(plainText(link))) showTitle(link, own.title)
    return
  }
  const web = URL.parse(url.startsWith('//') ? `https:${url}` : url)
  if (web && WEB.has(web.protocol)) {
    const className = isBare(link, url) ? ['out', 'bare'] : ['out']
    Object.assign(link.properties, { href: web.href, rel: ['noopener', 'noreferrer'], className })
    return
  }
  link.tagName = 'span'
  link.properties = { className: ['nowhere'], title: `${url} (not in this backup)` }
}

/** Whether a fragment leads to the beginning of a page in every browser. */
export function isTop(fragment: string): boolean {
  return /^#(?:top)?$/i.test(fragment)
}

/** Whether the text of a link is its own address: with or without its scheme, and with letters as they are or escaped. */
function isBare(link: Element, url: string): boolean {
  const text = plainText(link)
  return [text, `http://${text}`].some((written) => written === url || decoded(written) === decoded(url))
}

function showTitle(link: Element, title: string): void {
  const value = oneLine(withoutControls(title))
  if (value === '') return
  link.children = [{ type: 'text', value }]
  // Its language may be another one than that of the text.
  link.properties['dir'] = 'auto'
}

/** Attributes that refer to ids of other elements. */
const NAMING_IDS = ['ariaDescribedBy', 'ariaLabelledBy'] as const

/** Adds a prefix to every id of a text and to references to them, so that ids of texts and of the page itself cannot clash. */
export function prefixIds(tree: Root, prefix: string): void {
  const ids = new Set<string>()
  const internal: { readonly properties: Element['properties']; readonly href: string }[] = []
  walk(tree, ({ properties }) => {
    delete properties['name']
    const { id, href } = properties
    if (id !== undefined && id !== null) {
      ids.add(String(id))
      properties['id'] = prefix + String(id)
    }
    for (const name of NAMING_IDS) {
      const value = properties[name]
      if (Array.isArray(value)) properties[name] = value.map((id) => prefix + String(id))
      else delete properties[name]
    }
    if (typeof href === 'string' && href.startsWith('#')) internal.push({ properties, href })
  })
  for (const { properties, href } of internal) {
    const id = [href.slice(1), decoded(href.slice(1))].find((id) => ids.has(id))
    if (id !== undefined) properties['href'] = `#${prefix}${id}`
  }
}
