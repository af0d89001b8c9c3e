import { parse, postprocess, preprocess } from 'micromark'
import { gfm } from 'micromark-extension-gfm'
import type { Event } from 'micromark-util-types'
import { LinkReader, type TextLinks } from './link-reader.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/** Emphasis neither holds nor makes an address; looking for it takes as long as all the rest. */
const SYNTAX = [gfm(), { disable: { null: ['attention'] } }]

/**
 * The links of a text (GitHub's flavour of CommonMark): inline ones, definitions, autolinks, and those of HTML, never those
 * of images or in code.
 *
 * Read from micromark's tokens rather than from the mdast tree that is made of them: a node of the tree says where the
 * whole link stands, the token where its address does.
 */
export function readLinks(text: string): TextLinks {
  // micromark leaves the mark out and counts from what follows.
  const shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  const reader = new LinkReader(text, shift)
  for (const event of tokensOf(text)) reader.take(event)
  return reader.links()
}

function tokensOf(text: string): Event[] {
  return postprocess(
    parse({ extensions: SYNTAX })
      .document()
      .write(preprocess()(text, undefined, true)),
  )
}
