import { decodeString } from 'micromark-util-decode-string'
import { normalizeIdentifier } from 'micromark-util-normalize-identifier'
import type { Event, Token } from 'micromark-util-types'
import { HtmlLinks } from '../../src/markdown/html-links.ts'
import type { Destination, TextLinks, WholeLink } from '../../src/markdown/read-links.ts'

interface OpenLink {
  readonly isImage: boolean
  url: string | null
  /** What names its definition, where it has no address of its own. */
  labelIdentifier: string
  reference: string
  label: string | null
}

const ADDRESSES: Readonly<Record<string, Destination['form']>> = {
  resourceDestinationString: 'inline',
  definitionDestinationString: 'definition',
  autolink: 'bare',
  literalAutolinkHttp: 'bare',
  literalAutolinkWww: 'bare',
}

/** Tokens in a link's label that are text, and what each says. */
const LABEL_TEXT: Readonly<Record<string, (written: string) => string>> = {
  data: (written) => written,
  characterEscapeValue: (written) => written,
  characterReference: decodeString,
  lineEnding: () => ' ',
}

/** Tokens in a link's label that make more of it than text. */
const LABEL_MARKUP: ReadonlySet<string> = new Set([
  ...['image', 'htmlText', 'codeText', 'autolink', 'literalAutolink', 'gfmFootnoteCall'],
])

/** Collects the links of a text from micromark's events. */
export class MicromarkReader {
  readonly #text: string
  readonly #html = new HtmlLinks()
  /** The HTML that is open, without the marks of quotes and lists. */
  #value: string | null = null
  readonly #open: OpenLink[] = []
  readonly #destinations: (Destination & { readonly identifier?: string })[] = []
  readonly #wholes: (Omit<WholeLink, 'url'> & { readonly url: string | null; readonly identifier: string })[] = []
  /** The first definition of each identifier is the one that counts. */
  readonly #definitions = new Map<string, string>()
  readonly #ofImages = new Set<string>()
  #definition = ''
  #tables = 0
  #labels = 0

  constructor(text: string) {
    this.#text = text
  }

  take([phase, token, context]: Event): void {
    const { type } = token
    if (phase === 'enter') this.#enter(token)
    else this.#exit(token)
    const form = ADDRESSES[type]
    if (phase === 'enter' && form) this.#address(token, form)
    const link = this.#open.at(-1)
    if (phase === 'enter' && this.#labels > 0 && link) {
      const say = LABEL_TEXT[type]
      if (say && link.label !== null) link.label += say(context.sliceSerialize(token))
      else if (LABEL_MARKUP.has(type)) link.label = null
    }
  }

  links(): TextLinks {
    const used = new Set(this.#wholes.filter(({ url }) => url === null).map(({ identifier }) => identifier))
    return {
      // An image's definition is part of the image, unless a link shares it.
      destinations: this.#destinations
        .filter(({ identifier }) => identifier === undefined || used.has(identifier) || !this.#ofImages.has(identifier))
        .sort((a, b) => a.start - b.start),
      wholes: this.#wholes.flatMap(({ identifier, ...whole }) => {
        const url = whole.url ?? this.#definitions.get(identifier)
        return url === undefined ? [] : [{ ...whole, url }]
      }),
    }
  }

  #enter(token: Token): void {
    // Extensions have types of their own.
    const type: string = token.type
    if (type === 'link' || type === 'image') {
      const above = this.#open.at(-1)
      if (type === 'image' && above) above.label = null
      this.#open.push({ isImage: type === 'image', url: null, labelIdentifier: '', reference: '', label: '' })
    } else if (type === 'table') this.#tables += 1
    else if (type === 'labelText') this.#labels += 1
    else if (type === 'htmlFlow' || type === 'htmlText') this.#value = ''
    else if (this.#value !== null && (type === 'htmlFlowData' || type === 'htmlTextData')) {
      this.#value += this.#text.slice(...this.#place(token))
    } else if (this.#value !== null && type === 'lineEnding') this.#value += '\n'
  }

  #exit(token: Token): void {
    const type: string = token.type
    const link = this.#open.at(-1)
    if (type === 'link' || type === 'image') this.#close(token)
    else if (type === 'table') this.#tables -= 1
    else if (type === 'labelText') {
      this.#labels -= 1
      if (link) link.labelIdentifier = this.#identifier(token)
    } else if (type === 'referenceString') {
      if (link) link.reference = this.#identifier(token)
    } else if (type === 'definitionLabelString') this.#definition = this.#identifier(token)
    else if (type === 'htmlFlow' || type === 'htmlText') {
      const [start, end] = this.#place(token)
      const found = this.#html.read(this.#value ?? '', this.#text.slice(start, end))
      this.#value = null
      if (this.#isInImage()) return
      for (const { url, ...place } of found) {
        this.#destinations.push({ start: start + place.start, end: start + place.end, url, form: 'attribute' })
      }
    }
  }

  #address(token: Token, form: Destination['form']): void {
    const [start, end] = this.#place(token)
    const url = urlOf(this.#text.slice(start, end), token.type)
    if (form === 'definition') {
      if (!this.#definitions.has(this.#definition)) this.#definitions.set(this.#definition, url)
      this.#destinations.push({ start, end, url, form, identifier: this.#definition })
      return
    }
    const link = this.#open.at(-1)
    if (link && form === 'inline') link.url = url
    // An address that is a link's own text goes with the link around it.
    if (this.#isInImage() || (form === 'bare' && link)) return
    this.#destinations.push({ start, end, url, form })
    if (form === 'bare') this.#addWhole({ start, end, url, label: undefined, identifier: '' })
  }

  #close(token: Token): void {
    const link = this.#open.pop()
    if (!link) return
    const identifier = link.reference || link.labelIdentifier
    if (link.isImage) {
      if (link.url === null) this.#ofImages.add(identifier)
    } else if (!this.#isInImage()) {
      const [start, end] = this.#place(token)
      this.#addWhole({ start, end, url: link.url, label: link.label, identifier })
    }
  }

  #addWhole(whole: Omit<WholeLink, 'url' | 'inTable'> & { url: string | null; identifier: string }): void {
    this.#wholes.push({ ...whole, inTable: this.#tables > 0 })
  }

  #isInImage(): boolean {
    return this.#open.some(({ isImage }) => isImage)
  }

  #identifier(token: Token): string {
    return normalizeIdentifier(this.#text.slice(...this.#place(token)))
  }

  #place({ start, end }: Token): [start: number, end: number] {
    return [start.offset, end.offset]
  }
}

/** Character references and escapes count in addresses of links and bare ones, but not between < and >. */
function urlOf(written: string, type: string): string {
  if (type === 'autolink') {
    const address = written.slice(1, -1)
    // Without a scheme, it is one of mail, which may have slashes too.
    return address.includes(':') ? address : `mailto:${address}`
  }
  return type === 'literalAutolinkWww' ? `http://${decodeString(written)}` : decodeString(written)
}
