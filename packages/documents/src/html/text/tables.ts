import type { Root } from 'hast'
import { SKIP, visit } from 'unist-util-visit'

/** Puts each table and each block of code where it scrolls by itself, by keys too: a page never gets wider than the screen. */
export function scrollWide(tree: Root): void {
  visit(tree, 'element', (node, index, parent) => {
    if (node.tagName === 'pre') node.properties['tabIndex'] = 0
    if (node.tagName !== 'table' || parent === undefined || index === undefined) return undefined
    const properties = { className: ['wide'], tabIndex: 0, role: 'group', ariaLabel: 'Table' }
    parent.children[index] = { type: 'element', tagName: 'div', properties, children: [node] }
    return SKIP
  })
}

const ALIGNMENT = /^text-align: (left|center|right)$/

/** Writes the alignment of cells as attributes: the parser writes styles, which are removed from all texts. */
export function alignCells(tree: Root): void {
  visit(tree, 'element', ({ tagName, properties }) => {
    if (tagName !== 'th' && tagName !== 'td') return
    const alignment = ALIGNMENT.exec(String(properties['style'] ?? ''))?.[1]
    if (alignment !== undefined) properties['align'] = alignment
  })
}
