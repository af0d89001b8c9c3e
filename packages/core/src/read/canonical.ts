import { isResource, type Resource } from '@collab-etl/contract'
import Type, { IsArray, IsLiteral, IsOptional, IsUnion, type TSchema } from 'typebox'

/**
 * The form in which a record is emitted, as a strict schema: no unknown field at any level, keys filled, and for a value
 * that may have several JSON types (`1` or `"1"`) the first type only. A record that fits it is emitted unchanged.
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

/** Form of a field of the key: an empty id or time means "none" (docs/service-api.md#values). */
export function canonicalKey(schema: TSchema): TSchema {
  const meaning = meaningOf(schema)
  return meaning === 'id' || meaning === 'timestamp' ? Type.String({ minLength: 1 }) : canonicalValue(schema)
}

/** Meaning of the field, if the contract states one (`Meaning`). */
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
