// Prints docs/service-api.md: `pnpm --filter @collab-etl/contract run docs`.
import Type, { type TSchema } from 'typebox'
import {
  COMMON_ERRORS,
  type ErrorRow,
  isResource,
  type KnownOperation,
  OPERATIONS,
  type Parameter,
  type Resource,
} from '../src/index.ts'

const INTRODUCTION = `# Service API

The interface of the service that collab-etl reads and writes: ${OPERATIONS.length} operations of Worktile's first open API.

This page is generated from \`packages/contract\`. To change it, edit the contract and run
\`pnpm --filter @collab-etl/contract run docs\`.

## Requests

- Every path begins with \`/v1\`, the version of the interface. The base address is the setting \`base_url\`.
- Requests are HTTP \`GET\`, \`POST\` or \`DELETE\`. A successful answer has status 200 and a JSON body: an array of records or one record.
- A parameter is sent in the path (\`:name\` in the template), in the query string or in the body. Each operation below says where.
- Operations without \`pid\` cover all projects of the caller.

### Request bodies

Only \`POST\` requests have a body. The service declares \`application/json\`, but its samples send form fields (\`name=value\`). Which
of the two it requires is not specified; the client sends JSON unless the setting \`body\` is \`form\`.

## Authentication

- Every operation requires \`access_token\`, an OAuth token. It is sent as a request header of that name or as a query parameter.
- A request without a token is answered with ${errorName(100005)}, one with an incorrect token with ${errorName(100006)}.
- How a token is obtained, how long it is valid and how it is renewed is not part of this interface.

## Values

${table(
  ['type', 'JSON', 'meaning'],
  [
    ['id', 'string', 'identifier; an empty string means "none"'],
    ['text', 'string', 'any text, possibly empty'],
    ['time', 'string', 'ISO 8601 in UTC with milliseconds: `2026-01-31T08:30:00.000Z`; the Unix epoch means "none"'],
    ['flag', 'number', '0 = no, 1 = yes'],
    ['enumeration', 'number', 'one of the values listed; others may be added'],
    ['count', 'number', 'whole number'],
    ['position', 'number', 'place in an order; may have a fraction'],
    ['size', 'string', 'number of bytes'],
  ],
)}

- \`pid\` is the id of a project in every resource.
- Two fields are documented with one type and sent with another: \`type\` of a file (a string, sent as a number) and \`success\` of
  deletions (a boolean, sent as a boolean or as the string \`"true"\`). Both forms are read.

## Paging

Only archived tasks (operation 2) are listed page by page: \`page\` counts from 1, \`size\` is the number of tasks per page. Every other
list is answered whole. A page with fewer records than \`size\` is not necessarily the last one; an empty page is.

## Ranges of time

Events (operation 23) are listed for a range: \`start\` and \`end\` are milliseconds since the Unix epoch, with 13 digits.

## Errors

An error answer is a JSON object: \`error_code\` (number), \`error_message\` (in Chinese; its text may differ between operations with the same
code) and \`request\` (the path template of the operation).
`

const NOT_SPECIFIED = `## Not specified

The service does not document the following. [Guarantees](guarantees.md) says how collab-etl handles each.

- Rate limits, the largest page size, and limits on the length of texts and lists.
- Which role or permission an operation requires.
- Errors for a task group or a webhook that does not exist.
- Comments of events, other than their deletion.
- Delivery of webhook events, the values of \`actions\`, and how a webhook is created or changed.
- Operations that complete, move or archive records.
`

/** Resources in the order in which answers use them, each before those that it contains. */
function resources(): Resource[] {
  const found = new Map<string, Resource>()
  const collect = (schema: TSchema): void => {
    if (isResource(schema)) {
      found.set(schema.title, schema)
      for (const field of Object.values(schema.properties)) collect(field)
    } else if (Type.IsArray(schema)) collect(schema.items)
  }
  for (const operation of inOrder()) collect(answerOf(operation))
  return [...found.values()]
}

function inOrder(): KnownOperation[] {
  return [...OPERATIONS].sort((a, b) => a.number - b.number)
}

function answerOf({ success }: KnownOperation): Resource {
  return success.kind === 'array' ? success.item : success.schema
}

function errorName(code: number): string {
  const row = COMMON_ERRORS.find((error) => error.code === code)
  return `HTTP ${row?.status} and code ${code}`
}

function resourceLink({ title }: Resource): string {
  return `[${title}](#${title.toLowerCase()})`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** How `Values` calls the type of a field or parameter. */
function typeName(schema: TSchema): string {
  if (isResource(schema)) return resourceLink(schema)
  if (Type.IsArray(schema)) return `array of ${typeName(schema.items)}`
  if ('meaning' in schema) {
    const names: Readonly<Record<string, string>> = { timestamp: 'time', enum: 'enumeration' }
    return names[String(schema.meaning)] ?? String(schema.meaning)
  }
  if (Type.IsUnion(schema))
    return schema.anyOf
      .map(typeName)
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1')
  if (Type.IsLiteral(schema)) return `\`${JSON.stringify(schema.const)}\``
  return 'type' in schema ? String(schema.type) : 'any'
}

function rangeOf(schema: TSchema): string {
  const { minimum, maximum, minLength } = schema as { minimum?: number; maximum?: number; minLength?: number }
  if (minLength !== undefined) return 'not empty'
  if (minimum === undefined) return ''
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`
}

function describe(schema: TSchema): string {
  return 'description' in schema ? String(schema.description) : ''
}

function parameterLine([name, { in: place, required, schema }]: [string, Parameter]): string {
  const notes = [describe(schema), rangeOf(schema), 'default' in schema ? `default \`${schema.default}\`` : '']
  const facts = [place, typeName(schema), required ? 'required' : 'optional']
  return `- \`${name}\` (${facts.join(', ')}): ${notes.filter(Boolean).join('; ')}`
}

function errorList(rows: readonly ErrorRow[]): string {
  return rows.map(({ code, status, meaning }) => `${code} (${status}, ${meaning})`).join('; ') || 'only the common ones'
}

function operationSection(operation: KnownOperation): string {
  const { number, id, method, path, summary, success } = operation
  const parameters = Object.entries<Parameter>(operation.params)
  const answer = resourceLink(answerOf(operation))
  return [
    `### Operation ${number}`,
    `\`${method} ${path}\` (\`${id}\`). ${summary}.`,
    parameters.length === 0 ? 'Parameters: none.' : parameters.map(parameterLine).join('\n'),
    `Answer: ${success.kind === 'array' ? `array of ${answer}` : `one ${answer}`}. Errors: ${errorList(operation.errors)}.`,
  ].join('\n\n')
}

function resourceSection(resource: Resource, all: readonly Resource[]): string {
  const base = all.find((other) => contains(resource, other) && !contains(other, resource))
  const fields = Object.entries<TSchema>(resource.properties)
    .filter(([name]) => base === undefined || !(name in base.properties))
    .map(([name, schema]) => {
      const facts = [typeName(schema), Type.IsOptional(schema) ? 'may be absent' : '']
      return `- \`${name}\` (${facts.filter(Boolean).join(', ')}): ${describe(schema) || name.replaceAll('_', ' ')}`
    })
  const key = resource.key.map((name) => `\`${name}\``).join(', ')
  const users = inOrder().filter((operation) => answerOf(operation) === resource)
  const facts = [
    key === '' ? 'Key: none.' : `Key: ${key}.`,
    users.length === 0 ? '' : `Answer of operation ${users.map(({ number }) => number).join(', ')}.`,
    base === undefined ? '' : `The fields of ${resourceLink(base)}, and:`,
  ]
  return [`### ${resource.title}`, facts.filter(Boolean).join(' '), fields.join('\n')].join('\n\n')
}

/** Whether a resource has all fields of another one, and in the same words. */
function contains(resource: Resource, other: Resource): boolean {
  return Object.entries(other.properties).every(
    ([name, schema]) => JSON.stringify(resource.properties[name]) === JSON.stringify(schema),
  )
}

/** The text of docs/service-api.md. */
export function serviceApiDocument(): string {
  return `${[
    INTRODUCTION.trimEnd(),
    `Codes common to all operations, with their status: ${errorList(COMMON_ERRORS)}. Others are listed with the operation.`,
    '## Operations',
    'Each with the method of the client that makes the request.',
    ...inOrder().map(operationSection),
    '## Resources',
    'A record is identified by the fields of its key. Fields that an operation does not return are not listed with its resource.',
    ...resources().map((resource, _, all) => resourceSection(resource, all)),
    NOT_SPECIFIED.trimEnd(),
  ].join('\n\n')}\n`
}

if (import.meta.main) process.stdout.write(serviceApiDocument())
