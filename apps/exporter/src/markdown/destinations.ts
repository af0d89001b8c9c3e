import { parse, postprocess, preprocess } from 'micromark'
import { gfm } from 'micromark-extension-gfm'
import { decodeString } from 'micromark-util-decode-string'
import type { Event } from 'micromark-util-types'

/** A link's address as it stands in a Markdown text. */
export interface Destination {
  /** Offsets into the text, in UTF-16 units; the end is exclusive. */
  readonly start: number
  readonly end: number
  /** The address meant, with escapes and character references resolved. */
  readonly url: string
  /** Whether the address is all there is of the link: `<https://…>`, or a bare `https://…`. */
  readonly bare: boolean
}

const BYTE_ORDER_MARK = '\uFEFF'

const DESTINATION_TOKENS: Readonly<Record<string, 'link' | 'bare'>> = {
  resourceDestinationString: 'link',
  definitionDestinationString: 'link',
  autolink: 'bare',
  literalAutolinkHttp: 'bare',
}

/** Emphasis neither holds nor makes an address; looking for it takes as long as all the rest. */
const SYNTAX = [gfm(), { disable: { null: ['attention'] } }]

/**
 * The addresses of all links of a text (GitHub's flavour of CommonMark), in their order: inline ones, definitions, and
 * autolinks, never those of images, in code, or in HTML.
 *
 * Read from micromark's tokens rather than from the mdast tree that is made of them: a node of the tree says where the
 * whole link stands, the token where its address does.
 */
export function linkDestinations(text: string): Destination[] {
  // micromark leaves the mark out and counts from what follows.
  const shift = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  const open: string[] = []
  const found: Destination[] = []
  for (const event of tokensOf(text)) {
    const [phase, token] = event
    const kind = DESTINATION_TOKENS[token.type]
    if (phase === 'enter' && kind) {
      // An address that is a link's own text goes with the link around it.
      const within = open.at(-1)
      if (within !== 'image' && !(kind === 'bare' && within === 'link')) found.push(destination(event, kind, shift))
    }
    if (token.type !== 'link' && token.type !== 'image') continue
    if (phase === 'enter') open.push(token.type)
    else open.pop()
  }
  return found
}

function tokensOf(text: string): Event[] {
  return postprocess(
    parse({ extensions: SYNTAX })
      .document()
      .write(preprocess()(text, undefined, true)),
  )
}

function destination([, token, context]: Event, kind: 'link' | 'bare', shift: number): Destination {
  const written = context.sliceSerialize(token)
  return {
    start: token.start.offset + shift,
    end: token.end.offset + shift,
    // Character references and escapes count in addresses of links and bare ones, but not between < and >.
    url: token.type === 'autolink' ? written.slice(1, -1) : decodeString(written),
    bare: kind === 'bare',
  }
}
