import { bareAddressEnd } from '@collab-etl/contract/bare-address'
import type { Span } from './destination.ts'
import { escaped } from './inline.ts'

/** An address in a text that is all of its link, and what it is written as. */
interface BareAddress extends Span {
  readonly url: string
}

/** Where another address begins in the text behind one. */
const SCHEME = /https?:\/\//gi

/** What GitHub's extension leaves out at the end of an address, beside `)` without its `(`. */
const END_MARK = /(?:[?!.,:;*_~'"]|&[A-Za-z\d]+;)$/

/** UTF-16 units of the longest of them: the name of a character reference. */
const MAX_MARK = 40

/**
 * The addresses in what GitHub's extension takes for one: it ends an address at white space only, and text that is written without spaces often
 * has none behind it. Spans are relative to `written`.
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

/** The text between addresses. It was part of a link, in which no character has a meaning. */
export function besideAddress(text: string): string {
  const own = addressText(text).replace(/www\./gi, (www) => `${www.slice(0, -1)}\\.`)
  return own.replace(/!$/, '\\!')
}

/** An address that remains, where the text around it is escaped. */
export function sameAddress(written: string, url: string): string {
  return /^https?:/i.test(written) ? `<${written}>` : `[${addressText(written)}](<${url.replaceAll('&', '&amp;')}>)`
}
