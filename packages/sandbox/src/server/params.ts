import type { KnownOperation, OperationId, Parameter } from '@collab-etl/contract'
import Type, { type TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { listInText } from './bodies.ts'

/** Where the parameters of a request stand, before anything is known about them. */
export interface Sources {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
}

/** The parameters of a request, and the names of those that are missing or wrong. */
export interface Reading {
  readonly params: Readonly<Record<string, unknown>>
  readonly invalid: readonly string[]
  /** Names of query parameters that were given more than once, though they take one value. */
  readonly repeated: readonly string[]
}

/** Where pages begin is for the handler to say: quirks change it. */
const ANY_PAGE = Type.Integer({ minimum: 0 })

/** Values of required parameters that the sandbox does without. */
const DEFAULTS: Partial<Record<OperationId, Readonly<Record<string, unknown>>>> = {
  'tasks.archived.list': { size: 20 },
}

/** Makes the reader of an operation's parameters from the contract. */
export function paramsReader(operation: KnownOperation): (sources: Sources) => Reading {
  const parameters: Readonly<Record<string, Parameter>> = operation.params
  const sandboxDefaults = DEFAULTS[operation.id] ?? {}
  const readers = Object.entries(parameters).map(([name, parameter]) => ({
    name,
    parameter,
    check: Compile(name === 'page' ? ANY_PAGE : parameter.schema) as Validator, // which schema it is, is not known here
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

function property(source: unknown, name: string): unknown {
  if (typeof source !== 'object' || source === null || !Object.hasOwn(source, name)) return undefined
  return Object.entries(source).find(([key]) => key === name)?.[1]
}

/** What was sent, as the parameter's type has it: text as a number, one value of a form as a list, nothing as the default. */
function readValue({ in: place, schema }: Parameter, sent: unknown): unknown {
  // In an address an empty value and none are the same; in a body an empty text is a text.
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
