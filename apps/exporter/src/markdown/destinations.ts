import { parse, postprocess, preprocess } from 'micromark'
import { gfm } from 'micromark-extension-gfm'
import type { ParseContext } from 'micromark-util-types'
import { LinkReader, type TextLinks } from './link-reader.ts'
import { BYTE_ORDER_MARK, type TextPart } from './parts.ts'

/** Emphasis neither holds nor makes an address; looking for it takes as long as all the rest. */
const CONSTRUCTS = parse({ extensions: [gfm(), { disable: { null: ['attention'] } }] }).constructs

/** Addresses of mail are looked for from the beginning of each word: without `@`, there are none, and it takes half the time. */
const CONSTRUCTS_WITHOUT_MAIL: ParseContext['constructs'] = {
  ...CONSTRUCTS,
  text: Object.fromEntries(
    Object.entries(CONSTRUCTS.text).flatMap(([code, constructs]) => {
      const others = [constructs].flat().flatMap((one) => (!one || one.name === 'emailAutolink' ? [] : [one]))
      return others.length === 0 ? [] : [[code, others]]
    }),
  ),
}

/**
 * The links of a text (GitHub's flavour of CommonMark), or of some of its parts: inline ones, definitions, autolinks, and those
 * of HTML, never those of images or in code.
 *
 * Read from micromark's tokens rather than from the mdast tree that is made of them: a node of the tree says where the
 * whole link stands, the token where its address does.
 */
export function readLinks(text: string, parts: readonly TextPart[] = [{ start: 0, end: text.length }]): TextLinks {
  const parser = parse()
  // Put together once: that takes as long as parsing a paragraph.
  parser.constructs = text.includes('@') ? CONSTRUCTS : CONSTRUCTS_WITHOUT_MAIL
  // All blocks come first: what one of them defines counts in all texts.
  const blocks = parts.map(({ start, end }) => {
    const part = text.slice(start, end)
    // micromark leaves the mark out. It knows lines by their numbers, each of which must be another.
    const offset = part.startsWith(BYTE_ORDER_MARK) ? start + 1 : start
    return parser.document({ line: start + 1, column: 1, offset }).write(preprocess()(part, undefined, true))
  })
  const reader = new LinkReader(text)
  for (const events of blocks) {
    for (const event of postprocess(events)) reader.take(event)
  }
  return reader.links()
}
