import type { Root } from 'hast'
import { visit } from 'unist-util-visit'

/** Attributes that refer to ids of other elements. */
const NAMING_IDS = ['ariaDescribedBy', 'ariaLabelledBy'] as const

/** Adds a prefix to every id of a text and to references to them, so that ids of texts and of the page itself cannot clash. */
export function prefixIds(tree: Root, prefix: string): void {
  const ids = new Set<string>()
  visit(tree, 'element', ({ properties }) => {
    delete properties['name']
    const id = properties['id']
    if (id === undefined || id === null) return
    ids.add(String(id))
    properties['id'] = prefix + String(id)
  })
  visit(tree, 'element', ({ properties }) => {
    for (const name of NAMING_IDS) {
      const value = properties[name]
      if (Array.isArray(value)) properties[name] = value.map((id) => prefix + String(id))
      else delete properties[name]
    }
    const href = properties['href']
    if (typeof href !== 'string' || !href.startsWith('#')) return
    const id = [href.slice(1), decoded(href.slice(1))].find((id) => ids.has(id))
    if (id !== undefined) properties['href'] = `#${prefix}${id}`
  })
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
