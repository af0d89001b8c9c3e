const BACKSLASH = '\\'
const COLON = /\s*:/y

/**
 * `JSON.parse` without its defect in V8: in Node 24 to 26 the name of a field that is written with an escape, such as
 * `"\n"`, may be read as another one that the process has met before, `"\\"`, and the field is lost
 * (https://github.com/nodejs/node/issues/63785). What is put in its place always holds a backslash, which hardly any name
 * does: where one is found, the text is parsed in a slower way that the defect cannot touch.
 *
 * @throws SyntaxError where the text is no JSON, as `JSON.parse` does
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return text.includes(BACKSLASH) && hasBackslashInName(value) ? parseByNames(text) : value
}

/** Parses it with `n0`, `n1`, … for its names, which have no escapes, and gives every object its names afterwards. */
function parseByNames(text: string): unknown {
  const standIns = new Map<string, string>()
  const pieces: string[] = []
  let copied = 0
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = endOfString(text, start)
    COLON.lastIndex = end
    if (COLON.test(text)) {
      // no object, and so no name, is made of a text alone
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
 * Where a string ends.
 * @param start where its opening quote is, outside of any other string
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
    // not by assignment: a field named `__proto__` would vanish
    const name = names[Number(standIn.slice(1))] ?? ''
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  }
}

/** Looked for in every text that holds an escape, so in a loop of its own: a generator's turns cost half as much as the parsing. */
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

/** All objects in a value, arrays left out, however deep it is: an answer may be deeper than calls can be. */
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
