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
