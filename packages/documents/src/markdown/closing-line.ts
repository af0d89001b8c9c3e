/** A code fence or an HTML block that continues over blank lines. */
interface Block {
  readonly kind: 'fence' | 'html'
  /** The white space before each of its lines. */
  readonly indent: string
  /** Whether it is in a list item, and so ends with it. */
  readonly isInItem: boolean
  /** What ends it for some readers, and for all. */
  readonly end: RegExp
  readonly sureEnd: RegExp
  /** The line that closes it. */
  readonly closing: string
}

/** What a text leaves open: a block, nothing, or `unsure` where readers disagree. */
type Open = Block | null | 'unsure'

/** Elements whose content is no Markdown, and their ends: readers need that of the same element. */
const RAW = 'script|pre|style|textarea'
const END_OF_RAW = '</script></style></textarea></pre>'

const FENCE = /^(?:(`{3,})[^`]*$|(~{3,}))/
const HTML: readonly (readonly [begin: RegExp, end: RegExp, closing: string])[] = [
  [/^<!--/, /-->/, '-->'],
  [/^<\?/, /\?>/, '?>'],
  [/^<!\[CDATA\[/, /\]\]>/, ']]>'],
  [/^<![A-Za-z]/, />/, '>'],
  [new RegExp(`^<(${RAW})(?=[ \\t>]|$)`, 'i'), new RegExp(`</(?:${RAW})>`, 'i'), END_OF_RAW],
]

/** What some readers take for the beginning of such HTML. */
const LIKE_HTML = new RegExp(`<(?:[!?]|(?:${RAW})(?![\\w-]))`, 'i')

/** HTML in a list item or a quote: it ends with them for readers of Markdown, but not for browsers. */
const NESTED_HTML = new RegExp(`^\\s*(?:[>*+-]|\\d+[.)]).*${LIKE_HTML.source}`, 'im')

/** A tag that begins a line may begin HTML that ends with a blank line only: in it, nothing else begins. */
const TAG = /^<\/?[A-Za-z][\w-]*(?:[\s/>]|$)/

/** White space (for JavaScript also a byte order mark) and marks of lists and quotes, which may precede a block. */
const BEFORE = /^[\s>*+\-\d.)]*/
const QUOTE = /^ {0,3}>/

/** The beginning of a list item for every reader, also behind a paragraph. */
const ITEM = /^(?:[*+-]|1[.)]) {1,4}$/

const BLANK = /^[ \t]*$/

/** Closes HTML of any kind, for readers of Markdown and for browsers. */
const END_OF_HTML = `<!-- ?> ]]> -->${END_OF_RAW}`

/** A text, followed by lines that close a code fence or an HTML block if the text leaves one open, or may leave one open. */
export function closed(text: string): string {
  const open = openAtEnd(text)
  return open === null ? text : withLines(text, open === 'unsure' ? closingAny(text) : open.closing)
}

/** The same for HTML only, for places that close a code fence by themselves, such as quotes. */
export function withClosedHtml(text: string): string {
  const open = LIKE_HTML.test(text) ? openAtEnd(text) : null
  if (open === 'unsure' || (open === null && NESTED_HTML.test(text))) return withLines(text, END_OF_HTML)
  return open?.kind === 'html' ? withLines(text, open.closing) : text
}

function withLines(text: string, lines: string): string {
  return text + (/[\r\n]$/.test(text) ? '' : '\n') + lines
}

/**
 * Lines that close each kind of block and show nothing if none is open. If a fence is open, `<!--` is a line of its code and the next line
 * closes it; if none is, the comment hides that line.
 */
function closingAny(text: string): string {
  const fences = [/`{3,}/g, /~{3,}/g].flatMap((fence) => {
    const runs = text.match(fence)?.sort((a, b) => b.length - a.length)
    return runs?.[0] ? ['<!--', runs[0], '<!-- -->'] : []
  })
  return ['', ...fences, END_OF_HTML].join('\n')
}

/**
 * Readers of Markdown disagree about which list, paragraph or definition a line belongs to. The result is sure where that makes no
 * difference: a block at the very start of a line belongs to none of them, and an indented one counts while every line has its indentation.
 */
function openAtEnd(text: string): Open {
  let open: Block | null = null
  let isBehindTag = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (open === null) {
      const [before = ''] = BEFORE.exec(line) ?? []
      if (BLANK.test(line)) isBehindTag = false
      if (QUOTE.test(line)) continue
      const block = blockOf(before, line.slice(before.length))
      if (block === 'unsure' || (block && (isBehindTag || !(block.isInItem || BLANK.test(before))))) return 'unsure'
      open = block
      isBehindTag ||= TAG.test(line.slice(before.length))
    } else {
      const isOpen = continues(open, line)
      if (isOpen === 'unsure') return 'unsure'
      if (!isOpen) open = null
      isBehindTag = false
    }
  }
  if (open?.isInItem) return null
  return open === null || open.indent === '' ? open : 'unsure'
}

/** The block that a line begins and does not end. */
function blockOf(before: string, line: string): Open {
  const isInItem = ITEM.test(before)
  const place = { indent: isInItem ? ' '.repeat(before.length) : before, isInItem }
  const [, ticks, tildes] = FENCE.exec(line) ?? []
  const fence = ticks ?? tildes
  if (fence) {
    const end = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}[ \\t]*$`)
    return { kind: 'fence', ...place, end, sureEnd: end, closing: fence }
  }
  if (line.search(LIKE_HTML) !== 0) return null
  const [begin, end, closing] = HTML.find(([begin]) => begin.test(line)) ?? []
  if (!begin || !end || !closing) return 'unsure'
  const [, tag] = begin.exec(line) ?? []
  const sureEnd = tag === undefined ? end : new RegExp(`</${tag}>`, 'i')
  if (!end.test(line)) return { kind: 'html', ...place, end, sureEnd, closing }
  return sureEnd.test(line) ? null : 'unsure'
}

function continues({ indent, end, sureEnd }: Block, line: string): boolean | 'unsure' {
  if (indent !== '' && BLANK.test(line)) return true
  if (!line.startsWith(indent)) return 'unsure'
  const rest = line.slice(indent.length)
  if (!end.test(rest)) return true
  if (!sureEnd.test(rest)) return 'unsure'
  return indent !== '' && /^\s/.test(rest) ? 'unsure' : false
}
