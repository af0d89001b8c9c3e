import { isExactNumber } from '@collab-etl/contract/exact-json'
import { endOfString } from '@collab-etl/contract/parse-json'
import type { FieldIssue } from '../read/record.ts'

/*
 * `JSON.parse` keeps the last of several fields with one name and drops the others silently. To notice this, the number of colons
 * outside of strings is compared with the number of fields in the value. Only if they differ is the text searched.
 */

/** The number of fields of all objects in a parsed value. @param hasExact whether it may hold `ExactNumber`s, which are no objects of the text */
export function countFields(value: object, hasExact: boolean): number {
  let count = 0
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (typeof item === 'object' && item !== null) count += countFields(item, hasExact)
    }
    return count
  }
  if (hasExact && isExactNumber(value)) return 0
  for (const name in value) {
    count += 1
    const item: unknown = (value as Record<string, unknown>)[name]
    if (typeof item === 'object' && item !== null) count += countFields(item, hasExact)
  }
  return count
}

/** An array or object of the text that is not closed yet. */
interface Level {
  readonly path: string
  /** Where the last value of each name is; `null` in an array. */
  readonly values: Map<string, readonly [start: number, end: number]> | null
  /** The name before the value that is read. */
  name: string | null
  start: number
  index: number
}

/** The fields that an object of a JSON text repeats: where they are, and the value that is not kept. */
export function repeatedFields(text: string): FieldIssue[] {
  const found: FieldIssue[] = []
  let level: Level = { path: '', values: null, name: null, start: 0, index: 0 }
  const outer: Level[] = []
  const endValue = (at: number) => {
    if (level.values === null || level.name === null) return
    const earlier = level.values.get(level.name)
    const field = pathOf(level)
    if (earlier !== undefined) found.push({ field, kind: 'repeated_field', original: text.slice(...earlier).trim() })
    level.values.set(level.name, [level.start, at])
    level.name = null
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      if (level.values !== null && level.name === null) level.name = JSON.parse(text.slice(at, end)) as string // a text alone
      at = end - 1
    } else if (character === ':') {
      level.start = at + 1
    } else if (character === ',') {
      endValue(at)
      level.index += 1
    } else if (character === '{' || character === '[') {
      outer.push(level)
      const path = outer.length === 1 ? '' : pathOf(level)
      level = { path, values: character === '{' ? new Map() : null, name: null, start: 0, index: 0 }
    } else if (character === '}' || character === ']') {
      endValue(at)
      level = outer.pop() ?? level
    }
  }
  return found
}

function pathOf({ path, values, name, index }: Level): string {
  if (values === null) return `${path}[${index}]`
  return path === '' ? (name ?? '') : `${path}.${name}`
}
