import {
  COMMON_ERRORS,
  type ErrorRow,
  isResource,
  type Operation,
  type Parameter,
  type Resource,
} from '@collab-etl/contract'
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { type Extension, isOffered, SERVED_OPERATIONS } from '../operations/served.ts'

const ERROR_BODY = {
  $id: 'Error',
  title: 'Error',
  description: 'Body of every error answer',
  type: 'object',
  required: ['error_code', 'error_message', 'request'],
  properties: {
    error_code: { type: 'integer', description: 'code' },
    error_message: { type: 'string', description: 'for a person, in Chinese' },
    request: { type: 'string', description: "the request's path template" },
  },
}

const TOTAL_COUNT = { type: 'integer', description: 'length of the whole list, over all pages' }

/** Adds `GET /openapi.json`, which describes what the service offers. Call it before adding routes. */
export async function addOpenApi(app: FastifyInstance, extended: () => ReadonlySet<Extension>): Promise<void> {
  for (const schema of [...resourceSchemas(SERVED_OPERATIONS), ERROR_BODY]) app.addSchema(schema)
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Project Collaboration Service',
        version: '1',
        description: 'Tasks, posts, pages, files, events, projects and webhooks, as the sandbox serves them.',
      },
      components: {
        securitySchemes: {
          header: { type: 'apiKey', in: 'header', name: 'access_token' },
          query: { type: 'apiKey', in: 'query', name: 'access_token' },
        },
      },
      security: [{ header: [] }, { query: [] }],
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema['$id'] ?? `schema-${index}`),
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, () => offeredPart(app.swagger() as Description, extended()))
}

/** The parts of the description that differ with what is offered. */
interface Description {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> }
}

/** The description of the routes, without operations that are not offered and the resources that only they use. */
function offeredPart(document: Description, extended: ReadonlySet<Extension>): object {
  const { paths = {}, components = {} } = document
  const offered = SERVED_OPERATIONS.filter((operation) => isOffered(operation, extended))
  const ids = new Set<string | undefined>(offered.map(({ id }) => id))
  const schemas = new Set([...resourceSchemas(offered), ERROR_BODY].map(({ $id }) => $id))
  const here = Object.entries(paths).map(([path, methods]) => {
    const kept = Object.entries(methods).filter(([, { operationId }]) => ids.has(operationId))
    return [path, Object.fromEntries(kept)] as const
  })
  return {
    ...document,
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(components.schemas ?? {}).filter(([name]) => schemas.has(name))),
    },
    paths: Object.fromEntries(here.filter(([, methods]) => Object.keys(methods).length > 0)),
  }
}

/** A route's schema, used only for the description: `paramsReader` checks parameters. */
export function routeSchema(operation: Operation): FastifySchema {
  const { success } = operation
  const path = parameters(operation, 'path')
  const query = parameters(operation, 'query')
  const body = parameters(operation, 'body')
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.id.split('.')[0] ?? operation.id],
    ...(path && { params: path }),
    ...(query && { querystring: query }),
    ...(body && { body, consumes: ['application/json', 'application/x-www-form-urlencoded'] }),
    response: {
      200: {
        'x-response-description': 'Success',
        ...(success.kind === 'array'
          ? { headers: { 'X-Total-Count': TOTAL_COUNT }, type: 'array', items: referring(success.item) }
          : referring(success.schema)),
      },
      ...errorResponses(operation),
    },
  }
}

function parameters(operation: Operation, place: Parameter['in']): JsonSchema | undefined {
  const all: Readonly<Record<string, Parameter>> = operation.params
  const here = Object.entries(all).filter(([, parameter]) => parameter.in === place)
  if (here.length === 0) return undefined
  return {
    type: 'object',
    required: here.filter(([, parameter]) => parameter.required).map(([name]) => name),
    properties: Object.fromEntries(here.map(([name, { schema }]) => [name, referring(schema)])),
  }
}

function errorResponses(operation: Operation): Record<number, JsonSchema> {
  const rows: readonly ErrorRow[] = [...operation.errors, ...COMMON_ERRORS]
  const byStatus = Map.groupBy(rows, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      status,
      { 'x-response-description': same.map(({ code, meaning }) => `${code}: ${meaning}`).join('; '), $ref: 'Error#' },
    ]),
  )
}

/** A JSON schema as plain data. */
type JsonSchema = Record<string, unknown>

/** Schemas of all resources in the answers of these operations, with their titles as `$id`; nested resources are references. */
function resourceSchemas(operations: readonly Operation[]): JsonSchema[] {
  const found = new Map<string, Resource>()
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (isSchema(value) && isResource(value)) found.set(value.title, value)
    for (const inner of Object.values(value)) collect(inner)
  }
  for (const { success } of operations) collect(success)
  return [...found.values()].map((resource) => ({ $id: resource.title, ...plain(resource) }))
}

/** A schema in which resources are references to those of `resourceSchemas`. */
function referring(schema: TSchema): JsonSchema {
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
