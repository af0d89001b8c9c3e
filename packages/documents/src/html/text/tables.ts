import type { Root } from 'hast'
import { SKIP, visit } from 'unist-util-visit'

/** Makes tables and code blocks scroll on their own, by keyboard as well, so that a page is never wider than the screen. */
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

/** Copies the alignment of cells from styles, as the parser writes it, to attributes: all styles are removed later. */
export function alignCells(tree: Root): void {
  visit(tree, 'element', ({ tagName, properties }) => {
    if (tagName !== 'th' && tagName !== 'td') return
    const alignment = ALIGNMENT.exec(String(properties['style'] ?? ''))?.[1]
    if (alignment !== undefined) properties['align'] = alignment
  })
}
