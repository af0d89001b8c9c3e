import type { Root } from 'hast'
import rehypeRaw from 'rehype-raw'
import rehypeSanitize from 'rehype-sanitize'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { EXIT, visit } from 'unist-util-visit'
import { takesTooMuchEffort } from '../../markdown/destinations.ts'
import { TooMuchEffort } from '../../markdown/effort.ts'
import { limitedEmphasis } from '../../markdown/limited-emphasis.ts'
import { isTooDeep } from '../../markdown/too-deep.ts'
import { html, Markup } from '../markup.ts'
import { dropTitle, type Heading, headingsOf, lowerHeadings } from './headings.ts'
import { prefixIds } from './ids.ts'
import { type LinkTo, settleLinks } from './links.ts'
import { mediaToLinks } from './media-links.ts'
import { plainText } from './plain-text.ts'
import { SCHEMA } from './sanitize-schema.ts'
import { scrollWide } from './tables.ts'

/** UTF-16 units of a text at most for it to be parsed: the trees of one that is all markup take a thousand times its size. */
const MAX_PARSED_LENGTH = 300_000

export interface TextToRender {
  readonly text: string
  /** Put before all ids; unlike those of the other texts of the page. */
  readonly idPrefix: string
  /** What stands above the text: a first heading that says the same is left out. */
  readonly title: string | null
  readonly linkTo: LinkTo
}

export interface RenderedText {
  readonly markup: Markup
  readonly headings: readonly Heading[]
  /** On one line, for the search. */
  readonly plain: string
  /** Whether it is shown as it was written, as it is too long, too deeply nested, or takes too long to be parsed. */
  readonly isRaw: boolean
}

const parser = unified().data('micromarkExtensions', [limitedEmphasis()]).use(remarkParse).use(remarkGfm)
const toHast = unified().use(remarkRehype, { allowDangerousHtml: true, clobberPrefix: '' })
const withHtml = unified().use(rehypeRaw)
const toSafe = unified().use(mediaToLinks).use(rehypeSanitize, SCHEMA)
const withIds = unified().use(rehypeSlug)
const printer = unified().use(rehypeStringify)

/** Renders Markdown (GitHub's flavour, HTML in it kept where it is harmless) as HTML in which nothing can run or load. */
export async function renderText(source: TextToRender): Promise<RenderedText> {
  const { text } = source
  if (text.length > MAX_PARSED_LENGTH || isTooDeep(text) || takesTooMuchEffort(text)) return asWritten(text)
  try {
    return await render(source)
  } catch (error) {
    // Thousands of elements within one another are more than the call stack takes.
    if (error instanceof RangeError || error instanceof TooMuchEffort) return asWritten(text)
    throw error
  }
}

async function render({ text, idPrefix, title, linkTo }: TextToRender): Promise<RenderedText> {
  const tree = safeTree(text)
  dropTitle(tree, title)
  lowerHeadings(tree)
  withIds.runSync(tree)
  prefixIds(tree, idPrefix)
  await settleLinks(tree, idPrefix, linkTo)
  scrollWide(tree)
  const markup = new Markup(printer.stringify(tree))
  return { markup, headings: headingsOf(tree), plain: plainText(tree), isRaw: false }
}

function safeTree(text: string): Root {
  const markdown = parser.parse(text)
  let holdsHtml = false
  visit(markdown, 'html', () => {
    holdsHtml = true
    return EXIT
  })
  const tree = toHast.runSync(markdown)
  // Parsing HTML takes as long as all the rest: most texts hold none.
  return toSafe.runSync(holdsHtml ? withHtml.runSync(tree) : tree)
}

function asWritten(text: string): RenderedText {
  return { markup: html`<pre class="raw" tabindex="0">${text}</pre>`, headings: [], plain: text, isRaw: true }
}
