import type { Definition, Html, Link, LinkReference, Nodes } from 'mdast'
import { defineMdastPlugin, markdownToHtml } from 'satteri'
import { definitionDestination, inlineDestination, type Span } from './destination.ts'
import { HtmlLinks } from './html-links.ts'
import { FEATURES, prepared } from './satteri.ts'

/** How an address is written; `bare`: it is all of the link, `<https://…>` or `https://…`. */
type Form = 'inline' | 'definition' | 'bare' | 'attribute'

/** The address of a link. The span of an attribute is that of its value with the quotes. */
export interface Destination extends Span {
  /** The address with escapes and character references resolved. */
  readonly url: string
  readonly form: Form
}

/** A Markdown link from its first to its last character. */
export interface WholeLink extends Span {
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

/** What may precede a bare address without a scheme. */
const BEFORE_WWW = /(?:^|[ \t\r\n])>*$|[(*_~\]]$/

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
  markdownToHtml(prepared(text), { features: FEATURES, mdastPlugins: [found.plugin] })
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
    },
    definition: (node) => this.#definition(node),
    html: (node) => this.#htmlNode(node),
    table: (node) => {
      this.#tableEnd = this.#span(node).end
    },
    // Nothing remains to be rendered.
    after: (root, context) => context.replaceNode(root, { type: 'root', children: [] }),
  })
  readonly #text: string
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

  constructor(text: string, labels: boolean) {
    this.#text = text
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
    const { url } = node
    const written = this.#text.slice(span.start, span.end)
    if (written.startsWith('[')) {
      this.#linkEnd = span.end
      const destination = inlineDestination(written, this.#labelEnd(node, span, written), url)
      this.#add(span, destination, { url, form: 'inline' })
      this.#addWhole(span, { url, label: this.#labels ? labelOf(node) : null, identifier: '' })
    } else if (span.start < this.#linkEnd) {
      // A bare address in the text of a link: as a link of its own it would end that one.
    } else if (written.startsWith('<') || this.#isWebAddress(span, written, url)) {
      this.#destinations.push({ ...span, url, form: 'bare' })
      this.#addWhole(span, { url, label: undefined, identifier: '' })
    }
  }

  /** Offset behind the last element of the label. The children of a node are only read where its text may hold `](` as well. */
  #labelEnd(node: Readonly<Link>, { start }: Span, written: string): number {
    const last = written.indexOf('](') === written.lastIndexOf('](') ? undefined : node.children.at(-1)
    return last === undefined ? 0 : this.#span(last).end - start
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
    this.#addWhole(span, {
      url: null,
      label: this.#labels ? labelOf(node) : null,
      identifier: node.identifier,
    })
  }

  #definition(node: Readonly<Definition>): void {
    const { url, identifier } = node
    if (!this.#definitions.has(identifier)) this.#definitions.set(identifier, url)
    const span = this.#span(node)
    const place = definitionDestination(this.#text.slice(span.start, span.end), url)
    this.#add(span, place, { url, form: 'definition', identifier })
  }

  #htmlNode(node: Readonly<Html>): void {
    const span = this.#span(node)
    for (const { url, ...place } of this.#html.read(node.value, this.#text.slice(span.start, span.end))) {
      this.#add(span, place, { url, form: 'attribute' })
    }
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
    return { start: start + this.#offset, end: end + this.#offset }
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
