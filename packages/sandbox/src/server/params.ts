import type { Operation, Parameter } from '@collab-etl/contract'
import { Type } from '@collab-etl/contract/schema'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'

/** The unchecked parameters of a request, by place. */
export interface Sources {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
}

/** The parameters of a request, and the names of missing or wrong ones. */
export interface ReadParams {
  readonly params: Readonly<Record<string, unknown>>
  readonly invalid: readonly string[]
  /** Names of query parameters that were repeated although they take one value. */
  readonly repeated: readonly string[]
}

/** The handler checks the first page number, because quirks change it. */
const ANY_PAGE = Type.Integer({ minimum: 0 })

/** Defaults of required parameters that the sandbox does not require. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'tasks.archived.list': { size: 20 },
}

/** Creates the reader of an operation's parameters from the contract. */
export function paramsReader(operation: Operation): (sources: Sources) => ReadParams {
  const parameters: Readonly<Record<string, Parameter>> = operation.params
  const sandboxDefaults = DEFAULTS[operation.id] ?? {}
  const readers = Object.entries(parameters).map(([name, parameter]) => ({
    name,
    parameter,
    check: Compile(name === 'page' ? ANY_PAGE : parameter.schema) as Validator, // the type of the schema is not known here
  }))
  return (sources) => {
    const params: Record<string, unknown> = {}
    const invalid: string[] = []
    const repeated: string[] = []
    for (const { name, parameter, check } of readers) {
      const sent = property(sources[parameter.in], name)
      if (parameter.in === 'query' && Array.isArray(sent)) repeated.push(name)
      const value = readValue(parameter, sent) ?? sandboxDefaults[name]
      if (value === undefined ? parameter.required : !check.Check(value)) invalid.push(name)
      else if (value !== undefined) params[name] = value
    }
    return { params, invalid, repeated }
  }
}

/** A field of an object by its own name; `undefined` for anything else. */
export function property(source: unknown, name: string): unknown {
  if (typeof source !== 'object' || source === null || !Object.hasOwn(source, name)) return undefined
  return Object.entries(source).find(([key]) => key === name)?.[1]
}

/** Converts a sent value to the parameter's type: text to a number, a single form value to a list, a missing value to the default. */
function readValue({ in: place, schema }: Parameter, sent: unknown): unknown {
  // In a URL an empty value counts as missing; in a body it is an empty string.
  if (sent === undefined || sent === null || (sent === '' && place !== 'body')) return defaultOf(schema)
  if (isArraySchema(schema)) return listOf(sent).filter((item) => item !== '')
  if (typeof sent === 'string' && 'type' in schema && schema.type === 'integer' && /^\d{1,15}$/.test(sent)) {
    return Number(sent)
  }
  return sent
}

function listOf(sent: unknown): unknown[] {
  if (Array.isArray(sent)) return sent.length === 1 && typeof sent[0] === 'string' ? listOf(sent[0]) : sent
  return (typeof sent === 'string' ? listInText(sent) : null) ?? [sent]
}

function defaultOf(schema: TSchema): unknown {
  return 'default' in schema ? schema.default : undefined
}

function isArraySchema(schema: TSchema): boolean {
  return 'type' in schema && schema.type === 'array'
}

/** The largest index of `name[index]=…` that is read; a larger one is treated as part of the name. */
const MAX_INDEX = 9999

/**
 * Parses the fields of a request body: a JSON object, otherwise a form. The content type is ignored: the service documents JSON
 * but shows `key=value` pairs in its samples, so clients send every combination.
 */
export function readBody(text: string): Readonly<Record<string, unknown>> {
  return jsonObject(text) ?? readForm(text)
}

function jsonObject(text: string): Record<string, unknown> | null {
  const value = parsed(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

/**
 * `a=1&b=2`; `a[]=1&a[]=2`, `a[0]=1&a[1]=2` and `a=1&a=2` are lists. A field that is written in several ways has all values.
 * The result has no prototype: any name is a plain field.
 */
function readForm(text: string): Readonly<Record<string, unknown>> {
  const lists = new Map<string, { index: number; value: string }[]>()
  const named = new Set<string>()
  for (const [field, value] of new URLSearchParams(text)) {
    const [, name = field, index] = /^([^[\]]+)\[(\d{0,9})\]$/.exec(field) ?? []
    const isElement = index !== undefined && Number(index) <= MAX_INDEX
    const key = isElement ? name : field
    if (isElement) named.add(key)
    const list = lists.get(key) ?? []
    lists.set(key, list)
    list.push({ index: isElement && index !== '' ? Number(index) : list.length, value })
  }
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, list] of lists) {
    const values = list.toSorted((a, b) => a.index - b.index).map(({ value }) => value)
    fields[name] = named.has(name) || values.length > 1 ? values : values[0]
  }
  return fields
}

/** A list that is written as text: `[]`, `["a","b"]`, or `['a','b']`; `null` for any other text. */
function listInText(text: string): unknown[] | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return null
  const value = parsed(trimmed)
  if (Array.isArray(value)) return value
  const inner = trimmed.slice(1, -1).split(',')
  return inner.map((item) => item.trim().replace(/^(['"])(.*)\1$/, '$2'))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
