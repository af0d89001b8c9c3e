import { isResource, type Resource } from '@collab-etl/contract'
import Type, { IsArray, IsLiteral, IsOptional, IsUnion, type TSchema } from 'typebox'

/**
 * The one form in which a record is handed on, as a strict schema: no unknown field at any level, keys filled, and of
 * a value that may be spelled in several JSON types (`1` or `"1"`) the first only. What fits it needs no reading.
 */
export function canonicalRecord(resource: Resource): TSchema {
  const fields = Object.entries(resource.properties).map(([name, schema]): [string, TSchema] => {
    const canonical = resource.key.includes(name) ? canonicalKey(schema) : canonicalValue(schema)
    return [name, IsOptional(schema) ? Type.Optional(canonical) : canonical]
  })
  return Type.Object(Object.fromEntries(fields), { additionalProperties: false })
}

/** Form of any field. */
export function canonicalValue(schema: TSchema): TSchema {
  if (isResource(schema)) return canonicalRecord(schema)
  if (IsArray(schema)) return Type.Array(canonicalValue(schema.items))
  if (!IsUnion(schema)) return schema
  const type = jsonType(schema)
  return Type.Union(schema.anyOf.filter((spelling) => jsonType(spelling) === type))
}

/** Form of a field of the key: an empty id or time names nothing (API page, part 2). */
export function canonicalKey(schema: TSchema): TSchema {
  const meaning = meaningOf(schema)
  return meaning === 'id' || meaning === 'timestamp' ? Type.String({ minLength: 1 }) : canonicalValue(schema)
}

/** What the field stands for, where the contract says so (`Meaning`). */
export function meaningOf(schema: TSchema): unknown {
  return 'meaning' in schema ? schema.meaning : undefined
}

/** JSON type of a scalar's canonical form. */
export function jsonType(schema: TSchema): 'string' | 'number' | 'boolean' {
  const first = IsUnion(schema) ? schema.anyOf[0] : schema
  const type = IsLiteral(first) ? typeof first.const : first !== undefined && 'type' in first ? first.type : undefined
  if (type === 'string' || type === 'boolean') return type
  if (type === 'number' || type === 'integer') return 'number'
  throw new TypeError(`the contract has a scalar of an unknown type: ${JSON.stringify(schema)}`)
}
