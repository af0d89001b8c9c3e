const BACKSLASH = '\\'
const COLON = /\s*:/y

/**
 * `JSON.parse` without a defect of V8: in Node 24 to 26 a field name that is written with an escape, such as `"\n"`, may be
 * read as a different name that the process parsed before, `"\\"`, and the field is lost
 * (https://github.com/nodejs/node/issues/63785). The wrong name always contains a backslash, which names rarely do: if one
 * is found, the text is parsed again in a slower way that avoids the defect.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return text.includes(BACKSLASH) && hasBackslashInName(value) ? parseByNames(text) : value
}

/** Parses the text with `n0`, `n1`, … in place of its names, which need no escapes, and renames the fields afterwards. */
function parseByNames(text: string): unknown {
  const standIns = new Map<string, string>()
  const pieces: string[] = []
  let copied = 0
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = endOfString(text, start)
    COLON.lastIndex = end
    if (COLON.test(text)) {
      // a text alone has no object, and so no names
      const name = JSON.parse(text.slice(start, end)) as string
      const standIn = standIns.get(name) ?? `"n${standIns.size}"`
      standIns.set(name, standIn)
      pieces.push(text.slice(copied, start), standIn)
      copied = end
    }
    start = text.indexOf('"', end)
  }
  const value: unknown = JSON.parse(pieces.join('') + text.slice(copied))
  const names = [...standIns.keys()]
  for (const object of objectsIn(value)) rename(object, names)
  return value
}

/**
 * Finds the end of a string.
 * @param start position of its opening quote, outside of any other string
 * @returns the position after its closing quote; the end of the text if there is none
 */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}

function rename(object: Record<string, unknown>, names: readonly string[]): void {
  const fields = Object.entries(object)
  for (const [standIn] of fields) delete object[standIn]
  for (const [standIn, value] of fields) {
    // not by assignment: a field named `__proto__` would be lost
    const name = names[Number(standIn.slice(1))] ?? ''
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  }
}

/** Called for every text with an escape, so it is a plain loop: a generator would take half as long as the parsing. */
function hasBackslashInName(root: unknown): boolean {
  const waiting = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (!isContainer(value)) continue
    if (Array.isArray(value)) {
      for (const item of value) if (isContainer(item)) waiting.push(item)
      continue
    }
    for (const name in value) {
      if (name.includes(BACKSLASH)) return true
      const item = value[name]
      if (isContainer(item)) waiting.push(item)
    }
  }
  return false
}

/** All objects in a value, without arrays. Not recursive: an answer may be nested deeper than the call stack allows. */
function* objectsIn(root: unknown): Generator<Record<string, unknown>> {
  const waiting = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (!isContainer(value)) continue
    for (const item of Object.values(value)) if (isContainer(item)) waiting.push(item)
    if (!Array.isArray(value)) yield value
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
