import { exactNumber, isExactNumber, plainDecimal } from '@collab-etl/contract/exact-json'
import type { IssueKind } from '@collab-etl/contract/streams'
import { isStorable, storable } from './text.ts'

type JsonObject = { readonly [field: string]: unknown }

/** Deeper than any real record; Postgres and `JSON.stringify` both fail a little further down. */
const MAX_DEPTH = 200

/** Called for each value that could not be kept as it was, with its path. */
export type OnIssue = (path: string, kind: IssueKind, original: unknown) => void

/**
 * What `jsonb` can hold of an object that was JSON: texts and names of fields without U+0000 and lone surrogates, numbers
 * that are finite, not nested too deep. The object itself is returned when nothing has to change.
 */
export function storableJson(object: JsonObject, path: string, onIssue: OnIssue): JsonObject {
  return isClean(object, 0) ? object : cleanObject(object, path, 0, onIssue)
}

function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  // most have to be written in another way
  if (isExactNumber(value)) return false
  if (depth >= MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1))
  return Object.entries(value).every(([name, item]) => isStorable(name) && isClean(item, depth + 1))
}

function cleanObject(object: object, path: string, depth: number, onIssue: OnIssue): JsonObject {
  const fields = new Map<string, unknown>()
  for (const [name, value] of Object.entries(object)) {
    const clean = storable(name)
    let key = clean.text
    while (clean.lost.length > 0 && (fields.has(key) || Object.hasOwn(object, key))) key += '\uFFFD'
    const at = path === '' ? key : `${path}.${key}`
    for (const kind of clean.lost) onIssue(at, kind, name)
    fields.set(key, cleanValue(value, at, depth + 1, onIssue))
  }
  // not by assignment: a field named __proto__ would vanish
  return Object.fromEntries(fields)
}

function cleanValue(value: unknown, path: string, depth: number, onIssue: OnIssue): unknown {
  if (typeof value === 'string') {
    const clean = storable(value)
    for (const kind of clean.lost) onIssue(path, kind, value)
    return clean.text
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    onIssue(path, 'out_of_range', value)
    return null
  }
  if (typeof value !== 'object' || value === null) return value
  if (isExactNumber(value)) return cleanNumber(value.rawJSON, (kind) => onIssue(path, kind, value))
  if (depth >= MAX_DEPTH) {
    onIssue(path, 'unreadable', value)
    return null
  }
  if (Array.isArray(value)) return value.map((item, index) => cleanValue(item, `${path}[${index}]`, depth + 1, onIssue))
  return cleanObject(value, path, depth, onIssue)
}

/** As `jsonb` shows it, so that the same number is the same text before and after it was stored; `numeric` has no -0. */
function cleanNumber(text: string, onIssue: (kind: IssueKind) => void): unknown {
  if (!/[1-9]/.test(text.split(/e/i, 1)[0] ?? '')) {
    onIssue('rounded')
    return 0
  }
  const plain = plainDecimal(text)
  if (plain !== null) return exactNumber(plain)
  onIssue('out_of_range')
  return null
}

/** JSON text of the sent value; numbers that JSON does not have as text, `null` for values nested too deep. */
export function originalText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}
