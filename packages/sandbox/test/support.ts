import { parseCommandLine } from '@collab-etl/cli'
import { isResource } from '@collab-etl/contract'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { onTestFinished } from 'vitest'
import { type SandboxArguments, sandboxOptions } from '../src/command/flags.ts'
import { PROGRAM } from '../src/command/program.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from '../src/index.ts'
import { SERVED_OPERATIONS, type ServedId } from '../src/operations/served.ts'

/** Small sizes with every kind of record. */
export const SMALL = { projects: 6, tasks: 60, archived: 50, pages: 40, posts: 16, events: 50, barred: 1 } as const

/** Starts a sandbox that is closed after the test. */
export async function sandboxForTest(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ ...(options.load === undefined && SMALL), ...options })
  onTestFinished(() => sandbox.close())
  return sandbox
}

export interface Call {
  query?: Record<string, string | number>
  json?: unknown
  form?: readonly (readonly [string, string])[]
  /** `null` for none. Default: the valid token in the header. */
  token?: { header: string } | { query: string } | null
  headers?: Record<string, string>
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  // Tests check answers of every shape.
  json: unknown
}

/** Calls the service by method and path. */
export async function call(sandbox: Sandbox, method: string, path: string, options: Call = {}): Promise<Reply> {
  const { query = {}, json, form, token = { header: sandbox.token }, headers = {} } = options
  const url = new URL(path, sandbox.baseUrl)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  if (token && 'query' in token) url.searchParams.set('access_token', token.query)
  const body = form ? new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])) : json
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && 'header' in token && { access_token: token.header }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: body instanceof URLSearchParams ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

/** Calls an operation by its id, with parameters placed as in the contract. */
export async function operate(
  sandbox: Sandbox,
  id: ServedId,
  params: Record<string, string | number | string[]> = {},
  options: Call = {},
): Promise<Reply> {
  const operation = operationOf(id)
  const places: Readonly<Record<string, { in: string }>> = operation.params
  const at = (place: string) => Object.entries(params).filter(([name]) => places[name]?.in === place)
  const path = at('path').reduce<string>(
    (template, [name, value]) => template.replace(`:${name}`, encodeURIComponent(String(value))),
    operation.path,
  )
  const query = Object.fromEntries(at('query').map(([name, value]) => [name, String(value)]))
  const body = at('body').length > 0 || operation.method === 'POST' ? { json: Object.fromEntries(at('body')) } : {}
  return call(sandbox, operation.method, path, { query, ...body, ...options })
}

export function operationOf(id: ServedId) {
  const operation = SERVED_OPERATIONS.find((candidate) => candidate.id === id)
  if (!operation) throw new RangeError(id)
  return operation
}

/** Places where a value violates the schema or has additional fields. */
export function differences(schema: TSchema, value: unknown, at = ''): string[] {
  const wrong = Value.Errors(schema, value).map((error) => `${at}${error.instancePath} ${error.message}`)
  return [...wrong, ...unknownFields(schema, value, at)]
}

function unknownFields(schema: TSchema, value: unknown, at: string): string[] {
  if (Array.isArray(value)) {
    const { items } = schema as { items?: TSchema } // only schemas of arrays have it
    return items ? value.flatMap((item, index) => unknownFields(items, item, `${at}/${index}`)) : []
  }
  if (!isResource(schema) || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = schema.properties[name]
    return field ? unknownFields(field, inner, `${at}/${name}`) : [`${at}/${name} is not in ${schema.title}`]
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The options that a command line gives, as the program reads it. */
export async function readFlags(flags: readonly string[], env: Record<string, string>) {
  const parsed = await parseCommandLine(PROGRAM, flags)
  // a command line without --help is a command, and its flags are those of the sandbox
  return parsed.kind === 'command' ? sandboxOptions(parsed.args as unknown as SandboxArguments, env) : undefined
}
