import { isResource, type Resource } from '@collab-etl/contract'
import { type ExactNumber, isExactNumber, plainDecimal } from '@collab-etl/contract/exact-json'
import { isArray, isLiteral, isOptional, isUnion, Type } from '@collab-etl/contract/schema'
import { readTimestamp } from '@collab-etl/contract/timestamp'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'

/** Reads one scalar: exactly, approximately, or not at all. */
export interface Scalar {
  readonly kind: 'scalar'
  read(value: unknown): ScalarReading
}

/** `exact`: as sent, or another documented spelling of it; `rounded`: the nearest number that a double represents. */
type ScalarReading =
  | { readonly how: 'exact' | 'coerced' | 'rounded'; readonly value: string | number | boolean }
  | { readonly how: 'unreadable' }

type Json = string | number | boolean

const UNREADABLE: ScalarReading = { how: 'unreadable' }

/** Whether a value fits a schema. It is compiled on first use: a client has hundreds, and a run uses a few. */
export function checkOf(schema: () => TSchema): (value: unknown) => boolean {
  let compiled: ReturnType<typeof Compile> | undefined
  return (value) => {
    compiled ??= Compile(schema())
    return compiled.Check(value)
  }
}

/** Reads values of a field. */
export function scalarOf(schema: TSchema): Scalar {
  const isCanonical = checkOf(() => canonicalValue(schema))
  const isDocumented = checkOf(() => schema)
  const type = jsonType(schema)
  const isFlag = meaningOf(schema) === 'flag'
  return {
    kind: 'scalar',
    read(value) {
      if (isExactNumber(value)) return readExact(value, type, isCanonical)
      if (!isScalar(value)) return UNREADABLE
      if (isCanonical(value)) return { how: 'exact', value }
      const near = coerce(value, type, isFlag)
      if (near === undefined || !isCanonical(near)) return UNREADABLE
      return { how: isDocumented(value) ? 'exact' : 'coerced', value: near }
    },
  }
}

/** Reads a part of a key. It is stricter, because two records must never be merged. */
export function keyOf(schema: TSchema): Scalar {
  const isCanonical = checkOf(() => canonicalKey(schema))
  const read = (value: unknown): ScalarReading => {
    if (isScalar(value) && isCanonical(value)) return { how: 'exact', value }
    if (isExactNumber(value)) return readExact(value, 'string', isCanonical)
    if (typeof value !== 'number' || !Number.isFinite(value)) return UNREADABLE
    return { how: 'coerced', value: digitsOf(value) }
  }
  if (meaningOf(schema) !== 'timestamp') return { kind: 'scalar', read }
  // a time that is not a valid instant does not identify a record
  const readTime = (value: unknown): ScalarReading => {
    const reading = read(value)
    return reading.how !== 'unreadable' && 'loss' in readTimestamp(String(reading.value)) ? UNREADABLE : reading
  }
  return { kind: 'scalar', read: readTime }
}

/** A number that a double cannot represent: a text keeps all of its digits, a number is rounded. */
function readExact({ rawJSON }: ExactNumber, type: string, fits: (near: Json) => boolean): ScalarReading {
  if (type === 'string') return fits(rawJSON) ? { how: 'coerced', value: rawJSON } : UNREADABLE
  // plus 0: no column keeps the sign of -0
  const near = Number(rawJSON) + 0
  return type === 'number' && Number.isFinite(near) && fits(near) ? { how: 'rounded', value: near } : UNREADABLE
}

/** All digits of a number: `String` gives those of 1e21 and of 1e-7 an exponent. */
function digitsOf(value: number): string {
  const shortest = String(value)
  return shortest.includes('e') ? (plainDecimal(shortest) ?? shortest) : shortest
}

function isScalar(value: unknown): value is Json {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  )
}

function coerce(value: Json, type: 'string' | 'number' | 'boolean', isFlag: boolean): Json | undefined {
  if (type === 'string') return typeof value === 'number' ? digitsOf(value) : String(value)
  if (type === 'boolean') return toBoolean(value)
  const truth = isFlag ? toBoolean(value) : undefined
  return truth === undefined ? toNumber(value) : Number(truth)
}

function toBoolean(value: Json): boolean | undefined {
  const text = String(value).trim().toLowerCase()
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  return undefined
}

function toNumber(value: Json): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  return /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
}

/**
 * The form in which a record is emitted, as a strict schema: no unknown field at any level, keys filled, and for a value
 * that may have several JSON types (`1` or `"1"`) the first type only. A record that fits it is emitted unchanged.
 */
export function canonicalRecord(resource: Resource): TSchema {
  const fields = Object.entries(resource.properties).map(([name, schema]): [string, TSchema] => {
    const canonical = resource.key.includes(name) ? canonicalKey(schema) : canonicalValue(schema)
    return [name, isOptional(schema) ? Type.Optional(canonical) : canonical]
  })
  return Type.Object(Object.fromEntries(fields), { additionalProperties: false })
}

function canonicalValue(schema: TSchema): TSchema {
  if (isResource(schema)) return canonicalRecord(schema)
  if (isArray(schema)) return Type.Array(canonicalValue(schema.items))
  if (!isUnion(schema)) return schema
  const type = jsonType(schema)
  return Type.Union(schema.anyOf.filter((spelling) => jsonType(spelling) === type))
}

/** Form of a field of the key: an empty id or time means "none" (docs/dev/service-api.md#values). */
function canonicalKey(schema: TSchema): TSchema {
  const meaning = meaningOf(schema)
  return meaning === 'id' || meaning === 'timestamp' ? Type.String({ minLength: 1 }) : canonicalValue(schema)
}

/** Meaning of the field, if the contract states one (`Meaning`). */
export function meaningOf(schema: TSchema): unknown {
  return 'meaning' in schema ? schema.meaning : undefined
}

/** JSON type of a scalar's canonical form. */
function jsonType(schema: TSchema): 'string' | 'number' | 'boolean' {
  const first = isUnion(schema) ? schema.anyOf[0] : schema
  const type = isLiteral(first) ? typeof first.const : first !== undefined && 'type' in first ? first.type : undefined
  if (type === 'string' || type === 'boolean') return type
  if (type === 'number' || type === 'integer') return 'number'
  throw new TypeError(`the contract has a scalar of an unknown type: ${JSON.stringify(schema)}`)
}
