import type { Definition, Html, Link, LinkReference, Nodes } from 'mdast'
import { defineMdastPlugin, markdownToHtml } from 'satteri'
import { bareAddresses } from './bare-links.ts'
import { definitionDestination, inlineDestination, isWithinAngles, type Span } from './destination.ts'
import { HtmlLinks } from './html-links.ts'
import { FEATURES, prepared } from './satteri.ts'

/** How an address is written; `bare`: it is all of the link, `<https://…>` or `https://…`. */
type Form = 'inline' | 'definition' | 'bare' | 'attribute'

/** The address of a link. The span of an attribute is that of its value with the quotes. */
export interface Destination extends Span {
  /** The address with escapes and character references resolved. */
  readonly url: string
  readonly form: Form
  /** For a bare address: the link that it is, or is part of. All addresses in one link share this object. */
  readonly within?: BareLink
}

/** What Markdown parsers read as one bare address. */
export interface BareLink extends Span {
  /**
   * Whether rewriting may change more than the link: a bracket in its place would change how the text before it is read (`[label]`,
   * `[label]: <…>`, an address that its `<` ends, `文**`), or parsers disagree whether it is a link.
   */
  readonly mustRemain: boolean
}

/** A Markdown link from its first to its last character. */
interface WholeLink extends Span {
  readonly url: string
  /** Its text without markup; `null` if it holds more than text, `undefined` if the link is a bare address. */
  readonly label: string | null | undefined
  readonly inTable: boolean
}

/** The links of a text, each list in the order of the text. Spans are UTF-16 units of the text. */
export interface TextLinks {
  readonly destinations: readonly Destination[]
  readonly wholes: readonly WholeLink[]
}

export interface ReadLinksOptions {
  /** Whether to read the labels of links, which takes a copy of the tree; without it, they are `null`. */
  readonly labels?: boolean
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Bare addresses that are not of the web: mail, and `www.` without a host. */
const NOT_WEB = /^(?:mailto:|xmpp:|http:\/\/www\.?$)/i

/** UTF-16 units before or behind an address that may decide how it is read. */
export const MAX_LOOK_AROUND = 1_000

/** Text before `<` that becomes a tag, a link, a definition or a longer address if another character replaces the `<`. */
const NEEDS_ANGLE = /=[ \t]*(?:(?:\r\n?|\n)[ \t>]*)?$|\][:(][ \t]*(?:\r\n?|\n)?[ \t>]*$|(?:https?:\/\/|www\.)[^\s<]*$/i

/** What precedes an address that would be part of a tag without characters that no value of an attribute holds. */
const OPEN_TAG = /<[A-Za-z][^<>=]*=[^<>]*$/
const NO_VALUE = /["'=`]/

/** The beginning of a link or a definition before an address, such as `[label](`. Only a parenthesis in the address keeps it from becoming one. */
const NEEDS_PARENTHESIS = /\][:(][ \t]*(?:\r\n?|\n)?[ \t>]*[^ \t\r\n]*$/

/**
 * Marks of emphasis before and behind an address. A bracket in its place may change what they begin or end. It does not if no word touches
 * the marks before the address, and the marks behind it mirror them or end a word.
 */
const MARKS_BEFORE = /([^\s*_~]?)([*_~]+)$/
const MARKS_BEHIND = /^[*_~]+/
const END_WORD = /^(?:\*+|_+|~+)(?:\s|$)/

/** Code, in which brackets have no meaning. */
const CODE = /(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g

/** The line below the head of a table. */
const TABLE_RULE = /^[ \t]*(?:\r\n?|\n)[ \t>]*(?=[-: \t]*[|:])[-|: \t]+(?:[\r\n]|$)/

/** What may precede a bare address without a scheme. */
const BEFORE_WWW = /(?:^|[ \t\r\n])$|(?:^|[\r\n])[ \t>]*$|[(*_~\]]$/

/**
 * The links of a Markdown text (CommonMark with GitHub's extensions) and of the HTML in it: inline links, definitions, references,
 * autolinks, and `href` of `<a>` and `<area>`. Links in code and images are left out, and so are definitions that
 * only images use.
 *
 * Linear for a text for which `isWithinParseBudget` holds; 1 MB takes up to a second and 200 MB.
 *
 * @example
 * readLinks('[a](/pages/1)').destinations // [{ start: 4, end: 12, url: '/pages/1', form: 'inline' }]
 */
export function readLinks(text: string, { labels = false }: ReadLinksOptions = {}): TextLinks {
  const found = new FoundLinks(text, labels)
  markdownToHtml(found.source, { features: FEATURES, mdastPlugins: [found.plugin] })
  return found.links()
}

/** Collects links from the parser's nodes, which arrive in the order of the text. */
class FoundLinks {
  readonly plugin = defineMdastPlugin({
    name: 'links',
    options: { position: true },
    link: (node) => this.#link(node),
    linkReference: (node) => this.#reference(node),
    imageReference: (node) => {
      this.#ofImages.add(node.identifier)
      this.#referenceEnd = this.#span(node).end
    },
    definition: (node) => this.#definition(node),
    html: (node) => this.#htmlNode(node),
    table: (node) => {
      this.#tableEnd = this.#span(node).end
    },
    // Nothing remains to be rendered.
    after: (root, context) => context.replaceNode(root, { type: 'root', children: [] }),
  })
  /** The text for the parser. */
  readonly source: string
  readonly #text: string
  readonly #written: (read: string) => string
  readonly #at: (offset: number) => number
  readonly #labels: boolean
  /** Length of the byte order mark, which the parser does not count. */
  readonly #offset: number
  readonly #html = new HtmlLinks()
  readonly #destinations: (Destination & { readonly identifier?: string })[] = []
  readonly #wholes: (Omit<WholeLink, 'url'> & { readonly url: string | null; readonly identifier: string })[] = []
  /** The first definition of an identifier counts. */
  readonly #definitions = new Map<string, string>()
  readonly #ofImages = new Set<string>()
  #tableEnd = 0
  #linkEnd = 0
  #referenceEnd = -1

  constructor(text: string, labels: boolean) {
    this.#text = text
    const { source, written, at } = prepared(text)
    this.source = source
    this.#written = written
    this.#at = at
    this.#labels = labels
    this.#offset = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  }

  links(): TextLinks {
    const used = new Set(this.#wholes.filter(({ url }) => url === null).map(({ identifier }) => identifier))
    return {
      destinations: this.#destinations
        .filter(({ identifier }) => identifier === undefined || used.has(identifier) || !this.#ofImages.has(identifier))
        .sort((a, b) => a.start - b.start),
      wholes: this.#wholes.flatMap(({ identifier, ...whole }) => {
        const url = whole.url ?? this.#definitions.get(identifier)
        return url === undefined ? [] : [{ ...whole, url }]
      }),
    }
  }

  #link(node: Readonly<Link>): void {
    const span = this.#span(node)
    const url = this.#written(node.url)
    const written = this.#text.slice(span.start, span.end)
    if (written.startsWith('[')) {
      this.#linkEnd = span.end
      const destination = inlineDestination(written, this.#labelEnd(node, span, written), url)
      const address = destination ? written.slice(destination.start, destination.end) : ''
      if (NO_VALUE.test(address) && OPEN_TAG.test(this.#before(span))) return
      this.#add(span, destination, { url, form: 'inline' })
      this.#addWhole(span, { url, label: this.#labels ? this.#labelOf(node) : null, identifier: '' })
    } else if (span.start < this.#linkEnd) {
      // A bare address in the text of a link: as a link of its own it would end that one.
    } else if (written.startsWith('<')) {
      this.#addBare(span, [{ start: 0, end: written.length, url }])
    } else if (this.#isWebAddress(span, written, url)) {
      this.#addBare(span, bareAddresses(written))
    }
  }

  #addBare(link: Span, addresses: readonly (Span & { readonly url: string })[]): void {
    const within = { ...link, mustRemain: this.#referenceEnd === link.start || this.#isDoubtful(link) }
    for (const { start, end, url } of addresses) {
      const span = { start: link.start + start, end: link.start + end }
      this.#destinations.push({ ...span, url, form: 'bare', within })
      this.#addWhole(span, { url, label: undefined, identifier: '' })
    }
  }

  /** Offset behind the last element of the label. The children of a node are only read where its text may hold `](` as well. */
  #labelEnd(node: Readonly<Link>, { start }: Span, written: string): number {
    const last = written.indexOf('](') === written.lastIndexOf('](') ? undefined : node.children.at(-1)
    return last === undefined ? 0 : this.#span(last).end - start
  }

  /**
   * Whether the text before it depends on its first character, or it holds characters with a meaning outside of links and follows a `[`,
   * after which some parsers read no link.
   */
  #isDoubtful({ start, end }: Span): boolean {
    const before = this.#before({ start })
    if (isWithinAngles(before)) return true
    if (this.#text[start] === '<') return NEEDS_ANGLE.test(before)
    if (this.#text.slice(start, end).includes('`') && OPEN_TAG.test(before)) return true
    const [, letter, marks = ''] = MARKS_BEFORE.exec(before) ?? []
    const behind = this.#text.slice(end, end + MAX_LOOK_AROUND)
    const [closing = ''] = MARKS_BEHIND.exec(behind) ?? []
    const areClosed = closing === '' || closing === [...marks].reverse().join('')
    if (letter || !(areClosed || END_WORD.test(behind))) return true
    const written = this.#text.slice(start, end)
    if (/[()]/.test(written) && NEEDS_PARENTHESIS.test(before)) return true
    if (!/[&\\*_~`|]/.test(written)) return false
    let open = 0
    for (const [bracket] of before.replace(CODE, '').matchAll(/\\[[\]\\]|[[\]]/g)) {
      if (bracket === '[') open++
      else if (bracket === ']' && open > 0) open--
    }
    return open > 0
  }

  #before({ start }: Pick<Span, 'start'>): string {
    return this.#text.slice(Math.max(0, start - MAX_LOOK_AROUND), start)
  }

  #isWebAddress({ start }: Span, written: string, url: string): boolean {
    if (NOT_WEB.test(url)) return false
    if (!/^www/i.test(written)) return true
    const before = this.#text.slice(Math.max(0, start - 20), start)
    return BEFORE_WWW.test(before) || (start < this.#tableEnd && before.endsWith('|'))
  }

  #reference(node: Readonly<LinkReference>): void {
    const span = this.#span(node)
    this.#linkEnd = span.end
    this.#referenceEnd = span.end
    this.#addWhole(span, {
      url: null,
      label: this.#labels ? this.#labelOf(node) : null,
      identifier: node.identifier,
    })
  }

  #definition(node: Readonly<Definition>): void {
    const { identifier } = node
    const url = this.#written(node.url)
    if (!this.#definitions.has(identifier)) this.#definitions.set(identifier, url)
    const span = this.#span(node)
    // satteri 0.10 reads some lines of a paragraph, and the head of a table, as definitions, and links in them as their addresses.
    if (url.includes('](') || TABLE_RULE.test(this.#text.slice(span.end, span.end + MAX_LOOK_AROUND))) return
    const place = definitionDestination(this.#text.slice(span.start, span.end), url)
    this.#add(span, place, { url, form: 'definition', identifier })
  }

  #htmlNode(node: Readonly<Html>): void {
    const span = this.#span(node)
    for (const { url, ...place } of this.#html.read(node.value, this.#text.slice(span.start, span.end))) {
      this.#add(span, place, { url, form: 'attribute' })
    }
  }

  #labelOf(node: Readonly<Link | LinkReference>): string | null {
    const label = labelOf(node)
    return label && this.#written(label)
  }

  #add(
    { start }: Span,
    place: Span | null,
    about: { readonly url: string; readonly form: Form; readonly identifier?: string },
  ): void {
    if (place) this.#destinations.push({ start: start + place.start, end: start + place.end, ...about })
  }

  #addWhole(
    span: Span,
    about: { readonly url: string | null; readonly label: string | null | undefined; readonly identifier: string },
  ): void {
    this.#wholes.push({ ...span, ...about, inTable: span.start < this.#tableEnd })
  }

  #span({ position }: Readonly<Nodes>): Span {
    const start = position?.start.offset
    const end = position?.end.offset
    if (start === undefined || end === undefined)
      throw new Error('the Markdown parser reports a node without its position')
    return { start: this.#at(start + this.#offset), end: this.#at(end + this.#offset) }
  }
}

/** The text of a link on one line; `null` if it holds markup. */
function labelOf({ children }: Readonly<Link | LinkReference>): string | null {
  let label = ''
  for (const child of children) {
    if (child.type === 'text') label += child.value
    else if (child.type === 'break') label += ' '
    else return null
  }
  return label.replace(/\r\n?|\n/g, ' ').replaceAll('\0', '\uFFFD')
}
