import type { Element, ElementContent, Root } from 'hast'
import { walk } from './walk.ts'

/** Elements that load something, and their text if they have no name. */
const MEDIA: ReadonlyMap<string, string> = new Map([
  ['img', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
  ['iframe', 'embedded page'],
  ['embed', 'embedded file'],
  ['object', 'embedded file'],
])

/** Attributes that hold the address to load. */
const ADDRESSES = ['src', 'data', 'href'] as const

/** Replaces images, videos and frames with links: an offline site does not load anything from the web. */
export function mediaToLinks(tree: Root): void {
  walk(tree, (node, index, parent) => {
    const word = MEDIA.get(node.tagName)
    if (word !== undefined) parent.children[index] = linkFor(node, word)
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
    // A data: address cannot be linked to.
    properties: typeof url === 'string' && !/^\s*data:/i.test(url) ? { href: url } : {},
    children: children.length > 0 && name === undefined ? children : text,
  }
}

/** Makes tables and code blocks scroll on their own, by keyboard as well, so that a page is never wider than the screen. */
export function scrollWide(tree: Root): void {
  walk(tree, (node, index, parent) => {
    if (node.tagName === 'pre') node.properties['tabIndex'] = 0
    if (node.tagName !== 'table') return undefined
    const { dir, ...own } = node.properties
    // The direction decides on which side scrolling begins.
    const properties = {
      className: ['wide'],
      tabIndex: 0,
      role: 'group',
      ariaLabel: 'Table',
      ...(dir !== undefined && { dir }),
    }
    node.properties = own
    parent.children[index] = { type: 'element', tagName: 'div', properties, children: [node] }
    return index + 1
  })
}

const ALIGNMENT = /^text-align: (left|center|right)$/

/** Elements that HTML no longer has, and those that replace them. */
const REPLACED: Readonly<Record<string, string>> = { center: 'div', font: 'span', strike: 's', tt: 'code' }

/**
 * Copies the alignment of table cells from their styles, which are removed later, to attributes. Gives the checkboxes of task lists a name for
 * screen readers, as they have no label. Replaces obsolete elements.
 */
export function alignCellsAndNameBoxes(tree: Root): void {
  walk(tree, (node) => {
    const { tagName, properties } = node
    if (tagName === 'center') properties['align'] = 'center'
    node.tagName = REPLACED[tagName] ?? tagName
    if (tagName === 'input') properties['ariaLabel'] = properties['checked'] ? 'done' : 'to do'
    if (tagName !== 'th' && tagName !== 'td') return
    const alignment = ALIGNMENT.exec(String(properties['style'] ?? ''))?.[1]
    if (alignment !== undefined) properties['align'] = alignment
  })
}

/** Makes the alignment of sanitized elements a class, as the attribute is obsolete. */
export function alignByClass(tree: Root): void {
  walk(tree, ({ properties }) => {
    const { align } = properties
    delete properties['align']
    if (typeof align === 'string' && /^(?:left|center|right)$/i.test(align)) {
      properties['className'] = [`to-${align.toLowerCase()}`]
    }
  })
}
