import type { Operation, Parameter } from '@collab-etl/contract'
import type { ServiceRequest } from '../http/request.ts'

/** Arguments of an operation, whatever it is. */
export type AnyParams = Readonly<Record<string, unknown>>

/**
 * Makes the request of an operation (API page, part 4): ids in the path, the other parameters in query or body.
 * Values are not judged, but for what the address could not carry: the service has error codes of its own for those.
 * @throws TypeError for a required parameter that is missing, an unknown one, or a value that cannot be sent
 */
export function buildRequest(operation: Operation, params: AnyParams, encoding: 'json' | 'form'): ServiceRequest {
  const unknown = Object.keys(params).find((name) => !Object.hasOwn(operation.params, name))
  if (unknown !== undefined) throw new TypeError(`${operation.id}: there is no parameter ${unknown}`)
  const given = Object.entries(operation.params).flatMap(([name, parameter]) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    if (value !== undefined && value !== null) return [{ name, parameter, value }]
    if (parameter.required) throw new TypeError(`${operation.id}: parameter ${name} is required`)
    return []
  })
  const of = (where: Parameter['in']) => given.filter(({ parameter }) => parameter.in === where)
  let path: string = operation.path
  for (const { name, value } of of('path')) path = path.replace(`:${name}`, () => segment(operation, name, value))
  return {
    method: operation.method,
    path,
    query: of('query').map(({ name, value }) => [name, text(operation, name, value)] as const),
    body: operation.method === 'POST' ? body(operation, of('body'), encoding) : undefined,
  }
}

function segment(operation: Operation, name: string, value: unknown): string {
  const id = text(operation, name, value)
  // Between here and the service, `.` and `..` would be taken for steps in the path.
  if (id === '.' || id === '..') throw new TypeError(`${operation.id}: parameter ${name} is no id: ${id}`)
  if (id === '' && operation.method === 'DELETE') {
    throw new TypeError(`${operation.id}: parameter ${name} is empty: what would be deleted?`)
  }
  return encodeURIComponent(id)
}

function text(operation: Operation, name: string, value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') throw new TypeError(`${operation.id}: parameter ${name} must be a text or a number`)
  if (!value.isWellFormed()) throw new TypeError(`${operation.id}: parameter ${name} holds half a character`)
  return value
}

function body(
  operation: Operation,
  fields: readonly { readonly name: string; readonly value: unknown }[],
  encoding: 'json' | 'form',
): NonNullable<ServiceRequest['body']> {
  const pairs = fields.map(({ name, value }) => {
    return [
      name,
      Array.isArray(value) ? value.map((item) => text(operation, name, item)) : text(operation, name, value),
    ] as const
  })
  if (encoding === 'json') {
    return { contentType: 'application/json', text: JSON.stringify(Object.fromEntries(pairs)) }
  }
  // A list is its name repeated, as browsers send it.
  const form = new URLSearchParams()
  for (const [name, value] of pairs) for (const item of [value].flat()) form.append(name, item)
  return { contentType: 'application/x-www-form-urlencoded', text: form.toString() }
}
