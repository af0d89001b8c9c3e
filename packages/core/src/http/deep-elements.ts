import { ElementScanner, isTooDeepWithin } from './element-scanner.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20
const NULL = Buffer.from('null')

/**
 * Replaces the parts of the elements of a JSON array that are nested too deep by `null` and spaces, in place: the elements
 * can be parsed and named, and every byte keeps its offset.
 * @returns the indexes of the elements that were changed
 */
export function blankDeepValues(elements: Buffer): Set<number> {
  const commas: number[] = []
  new ElementScanner().scan(elements, commas)
  const changed = new Set<number>()
  for (const [index, start] of [-1, ...commas].entries()) {
    const element = elements.subarray(start + 1, commas[index] ?? elements.length)
    if (!new ElementScanner().scan(element).isTooDeep) continue
    blank(element)
    changed.add(index)
  }
  return changed
}

/** Blanks the arrays and objects directly within an element that are nested too deep. */
function blank(element: Buffer): void {
  let depth = 0
  let deepest = 0
  let start = 0
  let inString = false
  for (let at = 0; at < element.length; at++) {
    const byte = element[at]
    if (inString && byte === BACKSLASH) at++
    else if (byte === QUOTE) inString = !inString
    else if (inString) continue
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1
      if (depth === 2) {
        start = at
        deepest = 0
      }
      deepest = Math.max(deepest, depth)
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth -= 1
      if (depth !== 1 || !isTooDeepWithin(deepest)) continue
      element.fill(SPACE, start, at + 1)
      element.set(NULL, start)
    }
  }
}
