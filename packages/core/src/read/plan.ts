import { isResource, type Resource } from '@collab-etl/contract'
import { isArray, isOptional } from '@collab-etl/contract/schema'
import type { TSchema } from 'typebox'
import { canonicalRecord, checkOf, keyOf, meaningOf, type Scalar, scalarOf } from './scalar.ts'

/** How records of a resource are read, made once from its schema. */
export interface Plan {
  readonly kind: 'record'
  readonly title: string
  /** Whether a record can be emitted unchanged. */
  readonly isCanonical: (value: Record<string, unknown>) => boolean
  readonly key: readonly { readonly name: string; readonly scalar: Scalar }[]
  /** All fields except those of the key. */
  readonly fields: readonly Field[]
  readonly names: ReadonlySet<string>
}

export interface Field {
  readonly name: string
  readonly optional: boolean
  readonly shape: Scalar | Plan | List
}

export interface List {
  readonly kind: 'list'
  readonly item: Scalar | Plan
}

const plans = new WeakMap<Resource, Plan>()

export function planOf(resource: Resource): Plan {
  const known = plans.get(resource)
  if (known !== undefined) return known
  const isStrict = checkOf(() => canonicalRecord(resource))
  const key = resource.key.map((name) => ({ name, scalar: keyOf(schemaOf(resource, name)) }))
  const times = key.filter(({ name }) => meaningOf(schemaOf(resource, name)) === 'timestamp')
  const hasReadableTimes = (record: Record<string, unknown>) =>
    times.every(({ name, scalar }) => scalar.read(record[name]).how === 'exact')
  const plan: Plan = {
    kind: 'record',
    title: resource.title,
    isCanonical: (value) => isStrict(value) && hasReadableTimes(value),
    key,
    fields: Object.entries(resource.properties)
      .filter(([name]) => !resource.key.includes(name))
      .map(([name, schema]) => ({ name, optional: isOptional(schema), shape: shapeOf(schema) })),
    names: new Set(Object.keys(resource.properties)),
  }
  plans.set(resource, plan)
  return plan
}

function shapeOf(schema: TSchema): Scalar | Plan | List {
  return isArray(schema) ? { kind: 'list', item: itemOf(schema.items) } : itemOf(schema)
}

function itemOf(schema: TSchema): Scalar | Plan {
  return isResource(schema) ? planOf(schema) : scalarOf(schema)
}

function schemaOf(resource: Resource, name: string): TSchema {
  const schema = resource.properties[name]
  if (schema === undefined) throw new TypeError(`the key of ${resource.title} names no field: ${name}`)
  return schema
}
