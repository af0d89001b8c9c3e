import { isResource, OPERATIONS, type Resource } from '@collab-etl/contract'
import type { TSchema } from 'typebox'

/** A JSON schema as plain data. */
export type JsonSchema = Record<string, unknown>

/** Schemas of all resources in answers, with their titles as `$id`; nested resources are references. */
export function resourceSchemas(): JsonSchema[] {
  const found = new Map<string, Resource>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (isSchema(value) && isResource(value)) found.set(value.title, value)
    for (const inner of Object.values(value)) collect(inner)
  }
  for (const { success } of OPERATIONS) collect(success)
  return [...found.values()].map((resource) => ({ $id: resource.title, ...plain(resource) }))
}

/** A schema in which resources are references to those of `resourceSchemas`. */
export function referring(schema: TSchema): JsonSchema {
  return isResource(schema) ? { $ref: `${schema.title}#` } : plain(schema)
}

/** Keywords of the contract that are not part of JSON Schema; they are left out. */
const OWN_KEYWORDS = new Set(['key', 'meaning'])

function plain(schema: object): JsonSchema {
  const entries = Object.entries(schema).filter(([name]) => !OWN_KEYWORDS.has(name))
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'properties' ? fields(value) : inner(value)]),
  )
}

/** Field names are not keywords, so none is left out. */
function fields(properties: unknown): unknown {
  if (typeof properties !== 'object' || properties === null) return properties
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, inner(value)]))
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner)
  if (typeof value !== 'object' || value === null) return value
  return isSchema(value) && isResource(value) ? referring(value) : plain(value)
}

function isSchema(value: object): value is TSchema {
  return 'type' in value
}
