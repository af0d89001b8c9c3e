import * as contract from '@collab-etl/contract'
import { isResource, type Resource } from '@collab-etl/contract'
import type { ConversionIssue } from '@collab-etl/contract/streams'
import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDecodeError } from '../src/index.ts'
import { readerOf } from '../src/read/reader.ts'

const resources = Object.values(contract).filter((value): value is typeof value & Resource => {
  return typeof value === 'object' && value !== null && 'type' in value && isResource(value)
})

/** Values that a hostile or careless service may send for a field. */
const scalar = fc.oneof(
  fc.constantFrom(null, 0, 1, '0', '1', true, false, 'true', '', 2 ** 53, -0, Number.POSITIVE_INFINITY),
  fc.string({ unit: anyCharacter }),
  fc.double(),
  fc.jsonValue(),
)

/** Records whose fields have the right names, and anything as their values; further ones as well. */
function recordOf(resource: Resource, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(resource.properties).map(
    ([name, schema]) => [name, arbitraryOf(schema, depth)] as const,
  )
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: [] })
  const unknown = fc.dictionary(
    fc.constantFrom('__proto__', 'extra', 'constructor', 'toString', 'new_field'),
    fc.jsonValue(),
  )
  return fc.tuple(known, unknown).map(([some, others]) => {
    return Object.fromEntries([...Object.entries(some), ...Object.entries(others)])
  })
}

function arbitraryOf(schema: object, depth: number): fc.Arbitrary<unknown> {
  if (depth > 2) return scalar
  if ('key' in schema && 'properties' in schema) {
    // What has a key and properties is a resource.
    return fc.oneof(scalar, recordOf(schema as Resource, depth + 1))
  }
  if ('items' in schema && typeof schema.items === 'object' && schema.items !== null) {
    return fc.oneof(scalar, fc.array(arbitraryOf(schema.items, depth + 1), { maxLength: 3 }))
  }
  return scalar
}

interface Outcome {
  readonly record: Record<string, unknown>
  readonly losses: ConversionIssue[]
}

function read(resource: Resource, value: unknown): Outcome | 'refused' {
  const losses: ConversionIssue[] = []
  try {
    return { record: readerOf(resource).read(value, losses), losses }
  } catch (error) {
    if (isDecodeError(error)) return 'refused'
    throw error
  }
}

/** Paths of all values in a JSON value, with the values; `extra` is looked through as if it were not there. */
function leaves(value: unknown, path = ''): Map<string, unknown> {
  const found = new Map<string, unknown>()
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries())
      for (const leaf of leaves(item, `${path}[${index}]`)) found.set(...leaf)
  } else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    for (const [name, item] of Object.entries(value)) {
      for (const leaf of leaves(item, path === '' ? name : `${path}.${name}`)) found.set(...leaf)
    }
  } else found.set(path, value)
  return found
}

test('there are resources to read', () => {
  expect(resources.length).toBeGreaterThan(15)
})

describe.for(resources.map((resource) => ({ title: resource.title, resource })))('$title', ({ resource }) => {
  test('every field of a record has its form, for any input', () => {
    fc.assert(
      fc.property(recordOf(resource), (value) => {
        const outcome = read(resource, value)
        if (outcome === 'refused') return
        const again = read(resource, outcome.record)
        if (again === 'refused') throw new Error('a record that was read is refused')
        // Read again, nothing is left to coerce; `extra` of the first reading is an unknown field of the second.
        expect(again.losses.filter(({ kind }) => kind !== 'missing')).toEqual([])
        for (const name of resource.key) expect(typeof outcome.record[name]).toBe('string')
      }),
    )
  })

  test('every value sent is kept, is in extra, or is in a loss', () => {
    fc.assert(
      fc.property(recordOf(resource), (value) => {
        const outcome = read(resource, value)
        if (outcome === 'refused') return
        const kept = [...leaves(outcome.record)].map(
          ([path, leaf]) => [path.replaceAll(/\bextra\./g, ''), leaf] as const,
        )
        const lost = outcome.losses.map(({ field }) => field)
        for (const [path, leaf] of leaves(value)) {
          const isLost = lost.some(
            (field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
          )
          if (isLost || lost.some((field) => field.includes('['))) continue
          const same = kept.some(
            ([place, other]) => place === path.replaceAll(/\bextra\./g, '') && Object.is(other, leaf),
          )
          const oddity = kept.some(([place, other]) => place === path && String(other) === String(leaf))
          expect(same || oddity || isEmpty(leaf), path).toBe(true)
        }
      }),
    )
  })
})

/** An empty object or array has no leaves to compare. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
