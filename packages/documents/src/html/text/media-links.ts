import type { Element, ElementContent, Root } from 'hast'
import { visit } from 'unist-util-visit'

/** What each element that would load something is called where it has no name of its own. */
const MEDIA: ReadonlyMap<string, string> = new Map([
  ['img', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
  ['iframe', 'embedded page'],
  ['embed', 'embedded file'],
  ['object', 'embedded file'],
])

/** Where an element has the address of what it loads. */
const ADDRESSES = ['src', 'data', 'href'] as const

/** Turns images, films and frames into links that bear their name: a site for reading offline loads nothing. */
export function mediaToLinks(tree: Root): void {
  visit(tree, 'element', (node, index, parent) => {
    const word = MEDIA.get(node.tagName)
    if (word === undefined || parent === undefined || index === undefined) return
    parent.children[index] = linkFor(node, word)
  })
}

function linkFor({ properties, children }: Element, word: string): Element {
  const url = ADDRESSES.map((name) => properties[name]).find((value) => typeof value === 'string')
  const name = [properties['alt'], properties['title']].find(
    (value) => typeof value === 'string' && value.trim() !== '',
  )
  const text: ElementContent[] = [{ type: 'text', value: name === undefined ? word : `${word}: ${name}` }]
  return {
    type: 'element',
    tagName: 'a',
    // What is in a data: address is the thing itself; no link leads there.
    properties: typeof url === 'string' && !/^\s*data:/i.test(url) ? { href: url } : {},
    children: children.length > 0 && name === undefined ? children : text,
  }
}
