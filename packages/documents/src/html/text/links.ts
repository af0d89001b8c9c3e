import type { Element, Root } from 'hast'
import { visit } from 'unist-util-visit'

/** Gives the address of a file of the site that a link should lead to; `null` where it leads to none. */
export type LinkTo = (url: string) => Promise<string | null>

const WEB = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * Settles where each link leads: to a file of the site, to a place in the same text (whose ids were prefixed), or out to the
 * web. A link that leads nowhere on a disk becomes its text, with the address to be seen on it.
 */
export async function settleLinks(tree: Root, idPrefix: string, linkTo: LinkTo): Promise<void> {
  const links: Element[] = []
  visit(tree, 'element', (node) => {
    if (node.tagName === 'a') links.push(node)
  })
  for (const link of links) await settle(link, idPrefix, linkTo)
}

async function settle(link: Element, idPrefix: string, linkTo: LinkTo): Promise<void> {
  const url = link.properties['href']
  if (typeof url !== 'string') {
    link.tagName = 'span'
    return
  }
  // A place in the same text; prefixed already where it has an id of the text.
  if (url.startsWith(`#${idPrefix}`)) return
  const own = await linkTo(url)
  if (own !== null) {
    link.properties['href'] = own
    return
  }
  const web = URL.parse(url.startsWith('//') ? `https:${url}` : url)
  if (web && WEB.has(web.protocol)) {
    Object.assign(link.properties, { href: web.href, rel: ['noopener', 'noreferrer'], className: ['out'] })
    return
  }
  link.tagName = 'span'
  link.properties = { className: ['nowhere'], title: `${url} (not in this backup)` }
}
