import { isExactNumber } from '@collab-etl/contract/exact-json'

/**
 * JSON with the keys of every object in one order, so that the same value is the same text whichever way it came:
 * Postgres keeps keys in an order of its own.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? sorted(inner) : inner)) ?? 'null'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(object).sort()
  // Without a prototype, so that a key "__proto__" is a key like any other.
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of keys) copy[key] = object[key]
  return copy
}
