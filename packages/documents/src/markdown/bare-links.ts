import { bareAddressEnd } from '@collab-etl/contract/bare-address'
import type { Span } from './destination.ts'
import { escaped } from './inline.ts'

/** A bare address: its place in the text, and the URL that it leads to. */
interface BareAddress extends Span {
  readonly url: string
}

/** The beginning of an address, which may directly follow the text behind another one. */
const SCHEME = /https?:\/\//gi

/** What GitHub's extension leaves out at the end of an address, beside `)` without its `(`. */
const END_MARK = /(?:[?!.,:;*_~'"]|&[A-Za-z\d]+;)$/

/** UTF-16 units of the longest of them: the name of a character reference. */
const MAX_MARK = 40

/**
 * The addresses in what GitHub's extension reads as one address: it ends an address at white space only, but in Chinese, for example, text
 * follows without a space. Spans are relative to `written`.
 */
export function bareAddresses(written: string): readonly BareAddress[] {
  const found: BareAddress[] = []
  for (let start = 0; start < written.length; ) {
    const rest = written.slice(start)
    const length = bareAddressEnd(rest)
    const address = length === rest.length ? rest : withoutEndMarks(rest.slice(0, length))
    found.push({ start, end: start + address.length, url: /^www/i.test(address) ? `http://${address}` : address })
    SCHEME.lastIndex = start + Math.max(length, 1)
    start = SCHEME.exec(written)?.index ?? written.length
  }
  return found
}

function withoutEndMarks(address: string): string {
  let open = count(address, '(') - count(address, ')')
  let end = address.length
  for (;;) {
    const mark =
      address[end - 1] === ')' && open < 0 ? ')' : END_MARK.exec(address.slice(Math.max(0, end - MAX_MARK), end))?.[0]
    if (mark === undefined) return address.slice(0, end)
    if (mark === ')') open += 1
    end -= mark.length
  }
}

function count(text: string, character: string): number {
  return text.split(character).length - 1
}

/** An address as the text of a link. A backslash does not keep a backtick from ending code that begins before it. */
export function addressText(address: string): string {
  return escaped(address).replaceAll('\\`', '&#96;')
}

/** Escapes the text between addresses: inside the link, its characters had no meaning, outside they may. */
export function besideAddress(text: string): string {
  const own = addressText(text).replace(/www\./gi, (www) => `${www.slice(0, -1)}\\.`)
  return own.replace(/!$/, '\\!')
}

/** Writes an address that is not replaced so that it stays a link beside escaped text. */
export function sameAddress(written: string, url: string): string {
  return /^https?:/i.test(written) ? `<${written}>` : `[${addressText(written)}](<${url.replaceAll('&', '&amp;')}>)`
}
