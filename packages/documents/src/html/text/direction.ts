import type { Element, Nodes, Root } from 'hast'

export type Direction = 'ltr' | 'rtl'

/** Letters of scripts that are written from right to left: Hebrew, Arabic, Syriac, Thaana, NKo, Adlam and older ones. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Letters may be written as character references, and HTML may say its direction. A cheap test: most texts fail it. */
const MAY_DIFFER = new RegExp(`${RIGHT_TO_LEFT.source}|&#|\\bdir\\b`, 'iu')

const WORD = /\S+/g
const LETTER = /\p{L}/u
const ADDRESS = /:\/\/|^www\./i

/** Elements that get a direction of their own. Items of lists and cells are left to the style: they stay on the side of the others. */
const BLOCKS = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol dl blockquote table caption figure figcaption details summary'.split(' '),
)

/**
 * Share of words from right to left that makes a text one of that direction, by the direction of its surroundings: Arabic and Hebrew texts
 * contain Latin names.
 */
const MIN_SHARE = { ltr: 0.4, rtl: 0.2 } as const

/** Number of words. */
interface Words {
  rtl: number
  ltr: number
}

/**
 * Gives each block that is written in another direction than its surroundings a `dir` attribute. Code counts for no direction and is
 * written from left to right. Returns the direction of the whole text.
 */
export function setDirections(tree: Root, text: string): Direction {
  if (!MAY_DIFFER.test(text)) return 'ltr'
  const words = new Map<Nodes, Words>()
  countWords(tree, words)
  const direction = directionOf(words.get(tree), 'ltr')
  mark(tree, direction, words)
  return direction
}

function countWords(node: Nodes, words: Map<Nodes, Words>): Words {
  const sum: Words = { rtl: 0, ltr: 0 }
  if (node.type === 'text') {
    for (const [word] of node.value.matchAll(WORD)) {
      const letter = LETTER.exec(word)?.[0]
      if (letter !== undefined && !ADDRESS.test(word)) sum[RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr'] += 1
    }
  } else if ('children' in node && !(node.type === 'element' && isCode(node))) {
    for (const child of node.children) {
      const { rtl, ltr } = countWords(child, words)
      sum.rtl += rtl
      sum.ltr += ltr
    }
    words.set(node, sum)
  }
  return sum
}

function mark(node: Nodes, around: Direction, words: ReadonlyMap<Nodes, Words>): void {
  if (!('children' in node)) return
  let direction = around
  if (node.type === 'element') {
    direction = own(node, around, words)
    if (direction !== around) node.properties['dir'] = direction
  }
  for (const child of node.children) mark(child, direction, words)
}

function own(node: Element, around: Direction, words: ReadonlyMap<Nodes, Words>): Direction {
  const chosen = node.properties['dir']
  if (chosen === 'ltr' || chosen === 'rtl') return chosen
  if (node.tagName === 'pre')
    return node.children.some((child) => child.type === 'element' && isCode(child)) ? 'ltr' : around
  return BLOCKS.has(node.tagName) ? directionOf(words.get(node), around) : around
}

function isCode({ tagName }: Element): boolean {
  return tagName === 'code' || tagName === 'kbd' || tagName === 'samp'
}

/** The direction of `around` if a text has no words. */
function directionOf(words: Words | undefined, around: Direction): Direction {
  if (words === undefined || words.rtl + words.ltr === 0) return around
  return words.rtl / (words.rtl + words.ltr) >= MIN_SHARE[around] ? 'rtl' : 'ltr'
}
