import { parse, postprocess, preprocess } from 'micromark'
import { gfm } from 'micromark-extension-gfm'
import { counting, limitEffort, TooMuchEffort } from './effort.ts'
import { LinkReader, type TextLinks } from './link-reader.ts'
import { BYTE_ORDER_MARK, type TextPart } from './parts.ts'

/**
 * What neither holds nor makes an address: emphasis, which takes as long as all the rest, what is struck through, and calls of
 * footnotes behind `!`, which are looked for from each `]` to the beginning.
 */
const DISABLED = ['attention', 'strikethrough', 'gfmPotentialFootnoteCall']

const SYNTAX = parse({ extensions: [gfm(), { disable: { null: DISABLED } }] }).constructs

const CONSTRUCTS = counting(SYNTAX)

/** Addresses of mail are looked for from the beginning of each word: without `@`, there are none, and it takes half the time. */
const CONSTRUCTS_WITHOUT_MAIL = counting({ ...SYNTAX, disable: { null: [...DISABLED, 'emailAutolink'] } })

/** Texts of usual kinds take 5 to 25 steps for each UTF-16 unit. */
const STEPS_OF_UNIT = 100

/** Whatever so short a text holds, it is parsed in a tenth of a second; counting takes a tenth of the time. */
const MIN_LIMITED_LENGTH = 2_000

/** Below it, not even the worst text takes seconds. */
const MIN_ASKED_LENGTH = 10_000

/**
 * The links of a text (GitHub's flavour of CommonMark), or of some of its parts: inline ones, definitions, autolinks, and those
 * of HTML, never those of images or in code.
 *
 * Read from micromark's tokens rather than from the mdast tree that is made of them: a node of the tree says where the
 * whole link stands, the token where its address does.
 *
 * Throws `TooMuchEffort` where a text is made to take more than linear time.
 */
export function readLinks(text: string, parts: readonly TextPart[] = [{ start: 0, end: text.length }]): TextLinks {
  const parser = parse()
  const length = parts.reduce((sum, { start, end }) => sum + end - start, 0)
  if (length > MIN_LIMITED_LENGTH) limitEffort(parser, STEPS_OF_UNIT * length)
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

/** Whether a text is made to take more than linear time to parse; not asked of those that take a moment all the same. */
export function takesTooMuchEffort(text: string): boolean {
  if (text.length <= MIN_ASKED_LENGTH) return false
  try {
    readLinks(text)
    return false
  } catch (error) {
    if (error instanceof TooMuchEffort) return true
    throw error
  }
}
