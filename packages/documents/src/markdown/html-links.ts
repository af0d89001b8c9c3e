import { type Token, Tokenizer, TokenizerMode } from 'parse5'

/** The address of a link in HTML. */
export interface HtmlLink {
  /** Span of the attribute's value in the text, with its quotes. */
  readonly start: number
  readonly end: number
  /** The address with character references resolved. */
  readonly url: string
}

/** A line of HTML: its span in the HTML, and its offset in the text. */
interface Line {
  readonly start: number
  readonly end: number
  readonly at: number
}

/** Elements whose content HTML parsers read as text, and the state of the tokenizer behind their start tag. */
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

/** Elements in which links are ignored: they hold text or code. */
const CODE_ELEMENTS: ReadonlySet<string> = new Set(['code', 'pre', 'template', ...TEXT_ELEMENTS.keys()])

/** Elements whose `href` is a link for readers. */
const LINK_ELEMENTS: ReadonlySet<string> = new Set(['a', 'area'])

/**
 * Finds the links in the HTML of one Markdown text with parse5's tokenizer. Building a tree is not needed, and would take
 * quadratic time for hostile texts.
 */
export class HtmlLinks {
  /** Open elements of code. Kept between pieces: in a paragraph, each tag is a piece of its own. */
  readonly #code: string[] = []
  /** How many of each name are open: end tags of others need no search. */
  readonly #openCounts = new Map<string, number>()

  /**
   * The links of the next piece of HTML, a block or one tag.
   *
   * @param value The piece without the marks of the quotes and lists around it. Of its characters, only line breaks count.
   * @param written The same lines as written in the text; spans are relative to it.
   */
  read(value: string, written: string): HtmlLink[] {
    const lines = linesOf(value, written)
    const html = lines
      .map(({ at, start, end }) => written.slice(Math.max(0, at), at + end - start).padStart(end - start))
      .join('\n')
    const found: HtmlLink[] = []
    const tokenizer: Tokenizer = new Tokenizer(
      { sourceCodeLocationInfo: true },
      {
        ...NOTHING,
        onStartTag: (token) => {
          if (LINK_ELEMENTS.has(token.tagName) && this.#code.length === 0) {
            const link = linkOf(token, html, lines)
            if (link) found.push(link)
          }
          if (CODE_ELEMENTS.has(token.tagName)) this.#open(token.tagName)
          tokenizer.state = TEXT_ELEMENTS.get(token.tagName) ?? tokenizer.state
        },
        onEndTag: ({ tagName }) => this.#close(tagName),
      },
    )
    tokenizer.write(html, true)
    return found
  }

  #open(name: string): void {
    this.#code.push(name)
    this.#openCounts.set(name, (this.#openCounts.get(name) ?? 0) + 1)
  }

  /** Closes the last element of the name, and those that were opened in it. */
  #close(name: string): void {
    if (!this.#openCounts.get(name)) return
    for (let closed: string | undefined; closed !== name; ) {
      closed = this.#code.pop() ?? name
      this.#openCounts.set(closed, (this.#openCounts.get(closed) ?? 1) - 1)
    }
  }
}

/** Each line of the HTML is the end of the same line as written. */
function linesOf(value: string, written: string): Line[] {
  const ends = [...written.matchAll(/\r\n|\r|\n|$/g)].map(({ index }) => index)
  let start = 0
  return value.split(/\r\n|\r|\n/).map(({ length }, number) => {
    const line = { start, end: start + length, at: (ends[number] ?? 0) - length }
    start = line.end + 1
    return line
  })
}

function linkOf({ attrs, location }: Token.TagToken, html: string, lines: readonly Line[]): HtmlLink | null {
  const place = location?.attrs?.['href']
  const attribute = attrs.find(({ name }) => name === 'href')
  if (!place || !attribute) return null
  // From the name of the attribute, which holds no `=`, to the end of its value.
  const text = html.slice(place.startOffset, place.endOffset)
  const equals = text.indexOf('=')
  const value = text.slice(equals + 1).trimStart()
  if (equals === -1 || value === '') return null
  const start = placeOf(place.endOffset - value.length, lines)
  const end = placeOf(place.endOffset, lines)
  // A value over several lines may include marks of a quote or list.
  if (start === null || end === null || end - start !== value.length) return null
  return { start, end, url: attribute.value }
}

/** The offset in the text of an offset in the HTML; `null` if it has none. */
function placeOf(offset: number, lines: readonly Line[]): number | null {
  let low = 0
  for (let high = lines.length - 1; low < high; ) {
    const middle = (low + high) >> 1
    if ((lines[middle]?.end ?? 0) < offset) low = middle + 1
    else high = middle
  }
  const line = lines[low]
  const place = line && offset >= line.start ? line.at + offset - line.start : -1
  return place < 0 ? null : place
}

const NOTHING = {
  onComment: () => {},
  onDoctype: () => {},
  onEof: () => {},
  onCharacter: () => {},
  onNullCharacter: () => {},
  onWhitespaceCharacter: () => {},
}
