import { type Token, Tokenizer, TokenizerMode } from 'parse5'

/** The address of a link in HTML. */
export interface HtmlLink {
  /** Where the value of the attribute stands in the text, with its quotes. */
  readonly start: number
  readonly end: number
  /** With character references resolved. */
  readonly url: string
}

/** A line of HTML, and where it stands in the text: in a quote or a list, something else stands between the lines. */
interface Piece {
  readonly html: string
  readonly at: number
}

/** Elements whose content is text to an HTML parser, and how it reads on after their start tag. */
const TEXT_ELEMENTS: ReadonlyMap<string, Tokenizer['state']> = new Map<string, Tokenizer['state']>([
  ['title', TokenizerMode.RCDATA],
  ['textarea', TokenizerMode.RCDATA],
  ['style', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['noscript', TokenizerMode.RAWTEXT],
  ['script', TokenizerMode.SCRIPT_DATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
])

/** Elements in which nothing is a link, or what is one is shown as code. */
const CODE_ELEMENTS: ReadonlySet<string> = new Set(['code', 'pre', 'template', ...TEXT_ELEMENTS.keys()])

/** Elements whose `href` is a link that a person follows. */
const LINK_ELEMENTS: ReadonlySet<string> = new Set(['a', 'area'])

/**
 * Finds the links of the HTML in a Markdown text. It is parse5's tokenizer that reads it, by the rules of the HTML standard:
 * the tree that parse5 would build of it is not needed, and takes time and memory by the square of hostile texts.
 */
export class HtmlReader {
  #pieces: Piece[] = []
  /** Elements of code that are open: in a paragraph, each tag comes by itself. */
  readonly #code: string[] = []

  /** A block of HTML, or one tag in a paragraph, begins. */
  begin(): void {
    this.#pieces = []
  }

  /** One line of it. */
  add(html: string, at: number): void {
    this.#pieces.push({ html, at })
  }

  /** The links of what has come since it began. */
  end(): HtmlLink[] {
    const html = this.#pieces.map((piece) => piece.html).join('\n')
    const found: HtmlLink[] = []
    const tokenizer: Tokenizer = new Tokenizer(
      { sourceCodeLocationInfo: true },
      {
        ...NOTHING,
        onStartTag: (token) => {
          if (LINK_ELEMENTS.has(token.tagName) && this.#code.length === 0) {
            const link = this.#linkOf(token, html)
            if (link) found.push(link)
          }
          if (CODE_ELEMENTS.has(token.tagName)) this.#code.push(token.tagName)
          tokenizer.state = TEXT_ELEMENTS.get(token.tagName) ?? tokenizer.state
        },
        onEndTag: ({ tagName }) => {
          const opened = this.#code.lastIndexOf(tagName)
          if (opened !== -1) this.#code.splice(opened)
        },
      },
    )
    tokenizer.write(html, true)
    return found
  }

  #linkOf({ attrs, location }: Token.TagToken, html: string): HtmlLink | null {
    const place = location?.attrs?.['href']
    const attribute = attrs.find(({ name }) => name === 'href')
    if (!place || !attribute) return null
    // From its name to the end of its value: a name holds no `=`.
    const written = html.slice(place.startOffset, place.endOffset)
    const equals = written.indexOf('=')
    const value = written.slice(equals + 1).trimStart()
    if (equals === -1 || value === '') return null
    const start = this.#placeOf(place.endOffset - value.length)
    const end = this.#placeOf(place.endOffset)
    // A value that goes on in another line has the marks of its quote or list in it.
    if (start === null || end === null || end - start !== value.length) return null
    return { start, end, url: attribute.value }
  }

  /** Where a place in the HTML is in the text. */
  #placeOf(offset: number): number | null {
    let start = 0
    for (const { html, at } of this.#pieces) {
      if (offset <= start + html.length) return offset < start ? null : at + offset - start
      start += html.length + 1
    }
    return null
  }
}

const NOTHING = {
  onComment: () => {},
  onDoctype: () => {},
  onEof: () => {},
  onCharacter: () => {},
  onNullCharacter: () => {},
  onWhitespaceCharacter: () => {},
}
