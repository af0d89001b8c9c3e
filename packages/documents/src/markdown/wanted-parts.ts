import { decodeString } from 'micromark-util-decode-string'
import { partsOf, type TextPart } from './parts.ts'

/** Whether an address that matters may stand in a text, or a part of one. */
export type MayHold = (text: string) => boolean

/** What may be a link in HTML. */
const HTML_LINK = /<a(?:rea)?[\s/]/i

/**
 * The parts of a text that are to be parsed for its links: they give each whose address matters as the whole text does. `null` if
 * they are of more than `most` UTF-16 units together. `mayHold` is asked about the text as it stands, and about what it means with
 * escapes and character references resolved, and with the scheme that bare addresses may lack.
 */
export function wantedParts(text: string, mayHold: MayHold, most: number): TextPart[] | null {
  // Most texts are told by this, in a tenth of the time.
  if (!holds(text, mayHold)) return []
  let isDefined = false
  let isInHtml = false
  const wanted = chosen(text, most, (part) => {
    const defines = part.includes(']:')
    if (!holds(part, mayHold)) return defines
    isDefined ||= defines
    isInHtml ||= HTML_LINK.test(part)
    return true
  })
  if (wanted === null || !(isDefined || isInHtml)) return wanted
  // What refers to a definition, and what makes code of HTML, may stand in any other part.
  return chosen(
    text,
    most,
    (part) =>
      part.includes(']:') ||
      (isDefined && part.includes('[')) ||
      (isInHtml && part.includes('<')) ||
      holds(part, mayHold),
  )
}

function chosen(text: string, most: number, isWanted: (part: string) => boolean): TextPart[] | null {
  const found: TextPart[] = []
  let length = 0
  for (const part of partsOf(text)) {
    if (!isWanted(text.slice(part.start, part.end))) continue
    found.push(part)
    length += part.end - part.start
    if (length > most) return null
  }
  return found
}

function holds(written: string, mayHold: MayHold): boolean {
  if (means(written, mayHold)) return true
  if (!/[&\\]/.test(written)) return false
  // HTML knows more references than Markdown does.
  return means(decodeString(written), mayHold) || (written.includes('&') && HTML_LINK.test(written))
}

/** Bare addresses may lack their scheme. */
function means(text: string, mayHold: MayHold): boolean {
  return mayHold(text) || (/www\./i.test(text) && mayHold(text.replace(/www\./gi, 'http://$&')))
}
