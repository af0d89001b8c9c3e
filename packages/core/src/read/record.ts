import { isExactNumber } from '@collab-etl/contract/exact-json'
import type { IssueKind } from '@collab-etl/contract/streams'
import type { Field, List, Plan } from './plan.ts'
import type { Scalar } from './scalar.ts'

/** A record of any resource. */
export type AnyRecord = Record<string, unknown>

/**
 * Reads a record by its plan. A canonical one is returned unchanged. From any other, a new one is made: unknown
 * fields go to `extra`, and values that cannot be kept exactly are added to `losses`.
 * @returns `undefined` if it is not an object, or has no key
 */
export function readRecord(plan: Plan, value: unknown, path: string, losses: FieldIssue[]): AnyRecord | undefined {
  if (!isObject(value)) return undefined
  if (plan.isCanonical(value)) return value
  const record: AnyRecord = {}
  const found: FieldIssue[] = []
  for (const { name, scalar } of plan.key) {
    const reading = scalar.read(own(value, name))
    if (reading.how === 'unreadable') return undefined
    if (reading.how !== 'exact') found.push(fieldIssue(path + name, reading.how, value[name]))
    record[name] = reading.value
  }
  for (const field of plan.fields) readField(field, value, record, path + field.name, found)
  const extra = unknownFields(plan, value)
  if (extra !== undefined) record['extra'] = extra
  losses.push(...found)
  return record
}

export function isObject(value: unknown): value is AnyRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}

/** A field that the service sent; the prototype chain is ignored. */
export function own(value: AnyRecord, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

function readField(field: Field, from: AnyRecord, to: AnyRecord, path: string, losses: FieldIssue[]): void {
  const { name, optional, shape } = field
  const value = own(from, name)
  if (optional && value === undefined) return
  if (value === undefined || value === null) {
    to[name] = shape.kind === 'list' ? [] : null
    // `null` for an optional field means the same as leaving it out.
    if (!optional) losses.push(fieldIssue(path, value === undefined ? 'left_out' : 'missing', value))
  } else if (shape.kind === 'list') {
    to[name] = readList(shape, value, path, losses)
  } else {
    to[name] = readValue(shape, value, path, losses, 'unreadable') ?? null
  }
}

function readList(list: List, value: unknown, path: string, losses: FieldIssue[]): unknown[] {
  if (!Array.isArray(value)) {
    losses.push(fieldIssue(path, 'unreadable', value))
    return []
  }
  const lost = list.item.kind === 'record' ? 'unkeyed' : 'unreadable'
  const items: unknown[] = []
  for (const [index, element] of value.entries()) {
    const item = readValue(list.item, element, `${path}[${index}]`, losses, lost)
    if (item !== undefined) items.push(item)
  }
  return items
}

function readValue(
  shape: Scalar | Plan,
  value: unknown,
  path: string,
  losses: FieldIssue[],
  lost: 'unkeyed' | 'unreadable',
): unknown {
  if (shape.kind === 'record') {
    const record = readRecord(shape, value, `${path}.`, losses)
    if (record === undefined) losses.push(fieldIssue(path, lost, value))
    return record
  }
  const reading = shape.read(value)
  if (reading.how !== 'exact') losses.push(fieldIssue(path, reading.how, value))
  return reading.how === 'unreadable' ? undefined : reading.value
}

function unknownFields(plan: Plan, value: AnyRecord): AnyRecord | undefined {
  const names = Object.keys(value).filter((name) => !plan.names.has(name))
  if (names.length === 0) return undefined
  // Object.fromEntries defines properties; assigning to `__proto__` would set the prototype.
  return Object.fromEntries(names.map((name) => [name, value[name]]))
}

/** A loss while its record is still being read. */
export interface FieldIssue {
  readonly field: string
  readonly kind: IssueKind
  readonly original: string | null
}

/** A loss of a value as it was sent; `undefined` for a field that was not sent. */
export function fieldIssue(field: string, kind: IssueKind, value: unknown): FieldIssue {
  return { field, kind, original: value === undefined ? null : jsonText(value) }
}

function jsonText(value: unknown): string {
  // A number such as 1e400 is valid JSON but is parsed as Infinity, which JSON.stringify writes as null.
  if (value === Number.POSITIVE_INFINITY) return '1e999'
  if (value === Number.NEGATIVE_INFINITY) return '-1e999'
  return JSON.stringify(value)
}
