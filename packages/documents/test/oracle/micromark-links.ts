import { parse, postprocess, preprocess } from 'micromark'
import { gfm } from 'micromark-extension-gfm'
import type { TextLinks } from '../../src/markdown/read-links.ts'
import { MicromarkReader } from './micromark-reader.ts'

/** What neither holds nor makes an address. */
const DISABLED = ['attention', 'strikethrough', 'gfmPotentialFootnoteCall']

const { constructs } = parse({ extensions: [gfm(), { disable: { null: DISABLED } }] })

const BYTE_ORDER_MARK = '\uFEFF'

/** The links of a text as micromark reads it, to compare those of `readLinks` with. Takes quadratic time for hostile texts. */
export function micromarkLinks(text: string): TextLinks {
  const parser = parse()
  parser.constructs = constructs
  // micromark leaves the mark out.
  const offset = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  const events = parser.document({ line: 1, column: 1, offset }).write(preprocess()(text, undefined, true))
  const reader = new MicromarkReader(text)
  for (const event of postprocess(events)) reader.take(event)
  return reader.links()
}
