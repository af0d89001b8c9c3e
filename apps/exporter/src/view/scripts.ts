/** The call that a data script is: of a function of the site's own scripts that takes data. Others load scripts. */
const CALL = /^collab(?:Search\.(?:data|projects)|Lists\.(?:data|asOf))\(/

/** What may follow in its arguments besides texts: numbers, words of JSON, and the signs between values. */
const PLAIN = /(?:[\s,:[\]{}]|true\b|false\b|null\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)*/y

const END = /\)\s*$/

/**
 * Whether a script only hands data to the site's own scripts: one call whose arguments are literals. It can then do nothing else, whoever wrote
 * it. Such scripts hold the search index and the rows of lists, because a page on a disk can load data in no other form.
 */
export function isDataScript(text: string): boolean {
  const call = CALL.exec(text)
  const end = END.exec(text.slice(-16))
  if (call === null || end === null) return false
  const stop = text.length - end[0].length
  let at = call[0].length
  while (at < stop) {
    PLAIN.lastIndex = at
    const plain = PLAIN.exec(text)?.[0].length ?? 0
    at += plain
    if (at < stop && plain === 0) {
      const next = afterText(text, at)
      if (next === null) return false
      at = next
    }
  }
  return at === stop
}

/** The place after a text in quotation marks; `null` if there is none, or if it does not end on its line. */
function afterText(text: string, from: number): number | null {
  const mark = text[from]
  if (mark !== '"' && mark !== "'") return null
  for (let at = from + 1; at < text.length; at++) {
    const character = text[at]
    if (character === mark) return at + 1
    if (character === '\\') at += 1
    else if (character === '\n' || character === '\r') return null
  }
  return null
}
