// Prints docs/dev/service-api.md: `pnpm --filter @collab-etl/contract run docs`.
import Type, { type TSchema } from 'typebox'
import {
  COMMON_ERRORS,
  type ErrorRow,
  isResource,
  type KnownOperation,
  OBSERVED_OPERATIONS,
  type ObservedOperation,
  OPERATIONS,
  type Operation,
  type Parameter,
  type Resource,
} from '../src/index.ts'

const INTRODUCTION = `# Service API

The interface of the service: the ${OPERATIONS.length} documented operations of Worktile's first open API, then the [observed ones](#observed-operations).
This page is made from \`packages/contract\` by \`pnpm --filter @collab-etl/contract run docs\`.

## Requests

- Every path begins with \`/v1\`, the version of the interface. The base address is the setting \`base_url\`.
- A successful answer has status 200 and a JSON body: an array of records or one record.
- A parameter is sent in the path (\`:name\` in the template), in the query string or in the body. Required
  strings in the query are listed after the summary, other parameters with their place.
- \`?\` marks what is optional or may be absent; \`[]\` an array. Without a type, a parameter is a string, and a field an id or a text.
- Operations without \`pid\` cover all projects of the caller.

### Request bodies

Only \`POST\` requests (and observed \`PUT\`) have a body. The service declares \`application/json\`, but its samples send form fields
(\`name=value\`). Which of the two it requires is not specified; the client sends JSON unless the setting \`body\` is \`form\`.

## Authentication

- Every operation requires \`access_token\`, an OAuth token, as a request header of that name or as a query parameter.
- A request without a token is answered with ${errorName(100005)}, one with an incorrect token with ${errorName(100006)}.
- How a token is obtained and refreshed is not documented: [start](../start.md).

## Values

${table(
  ['type', 'JSON', 'meaning'],
  [
    ['id', 'string', 'identifier; an empty string means "none"'],
    ['text', 'string', 'any text, possibly empty'],
    ['time', 'string', 'ISO 8601 in UTC with milliseconds: `2026-01-31T08:30:00.000Z`; the Unix epoch means "none"'],
    ['flag', 'number', '0 = no, 1 = yes'],
    ['enum', 'number', 'one of the values listed; others may be added'],
    ['count', 'number', 'whole number'],
    ['position', 'number', 'place in an order; may have a fraction'],
    ['size', 'string', 'number of bytes'],
  ],
)}

- \`pid\` is the id of a project in every resource.
- Two fields are documented with one type and sent with another: \`type\` of a file (a string, sent as a number) and \`success\` of
  deletions (a boolean, sent as a boolean or as the string \`"true"\`). Both forms are read.

## Paging

Only archived tasks (operation 2) are listed page by page. A page with fewer records than \`size\` is not necessarily the last one; an
empty page is.

## Ranges of time

Events (operation 23) are listed for a range.

## Errors

An error answer is a JSON object: \`error_code\` (number), \`error_message\` (in Chinese; its text may differ between operations with the same
code) and \`request\` (the path template of the operation).
`

const OBSERVED = `## Observed operations

Public clients of the service call these operations, too. The service does not document them: each is optional and may answer with other
fields or error codes. The last column says how many of eleven clients call it.
`

const NOT_SPECIFIED = `## Not specified

How collab-etl handles what the service does not document: [internals](internals.md#assumptions-about-the-service).

- Rate limits, the largest page size, and limits on the length of texts and lists.
- Which role or permission an operation requires.
- Errors for a task group or a webhook that does not exist.
- Comments of events, other than their deletion.
- Delivery of webhook events, the values of \`actions\`, and how a webhook is created or changed.
`

/** Resources of the answers of these operations, in the order in which answers use them, each before those that it contains. */
function resources(operations: readonly Operation[]): Resource[] {
  const found = new Map<string, Resource>()
  const collect = (schema: TSchema): void => {
    if (isResource(schema)) {
      found.set(schema.title, schema)
      for (const field of Object.values(schema.properties)) collect(field)
    } else if (Type.IsArray(schema)) collect(schema.items)
  }
  for (const operation of operations) collect(answerOf(operation))
  return [...found.values()]
}

function inOrder(): KnownOperation[] {
  return [...OPERATIONS].sort((a, b) => a.number - b.number)
}

function answerOf({ success }: Operation): Resource {
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
  if (Type.IsArray(schema)) return `${typeName(schema.items)}[]`
  if ('meaning' in schema) {
    const names: Readonly<Record<string, string>> = { timestamp: 'time' }
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
  return maximum === undefined ? `at least ${minimum}` : `${String(maximum).length} digits`
}

function describe(schema: TSchema): string {
  return 'description' in schema ? String(schema.description) : ''
}

function parameterLine([name, { in: place, required, schema }]: [string, Parameter]): string {
  const notes = [describe(schema), rangeOf(schema), 'default' in schema ? `default \`${schema.default}\`` : '']
  const type = typeName(schema) === 'string' ? '' : `, ${typeName(schema)}`
  return `- \`${name}\`${required ? '' : '?'} (${place}${type}): ${notes.filter(Boolean).join('; ')}`
}

function errorList(rows: readonly ErrorRow[]): string {
  return rows.map(({ code, status, meaning }) => `${code} (${status}, ${meaning})`).join('; ') || 'only the common ones'
}

function operationSection(operation: KnownOperation): string {
  const { number, id, method, path, summary } = operation
  const parameters = Object.entries<Parameter>(operation.params)
  const query = parameters.flatMap(([name, parameter]) =>
    parameter.in === 'query' && isPlain(parameter) ? [name] : [],
  )
  return [
    `### Operation ${number}`,
    `\`${method} ${path}\` (\`${id}\`). ${summary}.${query.length === 0 ? '' : ` Query: ${codes(query)}.`}`,
    parameters
      .filter(([, parameter]) => !isPlain(parameter))
      .map(parameterLine)
      .join('\n'),
    `Answer: ${answerLink(operation)}. Errors: ${errorList(operation.errors)}.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Whether the name of a parameter says everything: a string in the address that must be given. */
function isPlain({ in: place, required, schema }: Parameter): boolean {
  return place !== 'body' && required && typeName(schema) === 'string'
}

function answerLink(operation: Operation): string {
  return `${resourceLink(answerOf(operation))}${operation.success.kind === 'array' ? '[]' : ''}`
}

function observedTable(isReading: boolean): string {
  const observed: readonly ObservedOperation[] = OBSERVED_OPERATIONS
  const shown = observed.filter(({ method }) => (method === 'GET') === isReading)
  const places = isReading ? (['query'] as const) : (['query', 'body'] as const)
  return table(
    ['operation', ...places, 'answer', 'clients'],
    shown.map((operation) => [
      `\`${operation.method} ${operation.path}\``,
      ...places.map((place) => namesIn(operation, place)),
      answerLink(operation),
      String(operation.clients),
    ]),
  )
}

function namesIn({ params }: Operation, place: Parameter['in']): string {
  return Object.entries(params)
    .filter(([, parameter]) => parameter.in === place)
    .map(([name, { required }]) => `\`${name}\`${required ? '' : '?'}`)
    .join(' ')
}

function resourceSection(resource: Resource, all: readonly Resource[]): string {
  const base = baseOf(resource, all)
  const fields = Object.entries<TSchema>(resource.properties)
    .filter(([name]) => base === undefined || lacking(base, resource).includes(name))
    .map(([name, schema]) => {
      const isPlain = typeName(schema) === 'text' || (typeName(schema) === 'id' && / id\b/.test(describe(schema)))
      const type = isPlain ? '' : ` (${typeName(schema)})`
      return `- \`${name}\`${Type.IsOptional(schema) ? '?' : ''}${type}${describe(schema) === '' || describe(schema) === name ? '' : `: ${describe(schema)}`}`
    })
  const key = codes(resource.key)
  const facts = [key === '' ? 'Key: none.' : `Key: ${key}.`, base === undefined ? '' : baseText(resource, base)]
  return [`### ${resource.title}`, facts.filter(Boolean).join(' '), fields.join('\n')].filter(Boolean).join('\n\n')
}

/** Fields that a resource must share with another one to be described by it, and fields that it may lack of those. */
const SHARED = 7
const LACKING = 3

/** An earlier resource that has most fields of this one. */
function baseOf(resource: Resource, all: readonly Resource[]): Resource | undefined {
  return all.slice(0, all.indexOf(resource)).find((other) => {
    const missing = lacking(resource, other).length
    return missing <= LACKING && Object.keys(other.properties).length - missing >= SHARED
  })
}

/** The fields of another resource that a resource does not have, or not in the same words. */
function lacking(resource: Resource, other: Resource): string[] {
  return Object.entries(other.properties).flatMap(([name, schema]) =>
    JSON.stringify(resource.properties[name]) === JSON.stringify(schema) ? [] : [name],
  )
}

function baseText(resource: Resource, base: Resource): string {
  const isOptional = ({ properties }: Resource, name: string) => Type.IsOptional(properties[name])
  const absent = Object.keys(base.properties).filter((name) => isOptional(resource, name) && !isOptional(base, name))
  const without = codes(lacking(resource, base))
  const optional = codes(absent)
  return [
    `The fields of ${resourceLink(base)}`,
    without === '' ? '' : ` without ${without}`,
    optional === '' ? '' : `; ${optional} may be absent`,
    lacking(base, resource).length === 0 ? '.' : '; and:',
  ].join('')
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

/** The text of docs/dev/service-api.md. */
export function serviceApiDocument(): string {
  const documented = resources(inOrder())
  const all = resources([...inOrder(), ...OBSERVED_OPERATIONS])
  return `${[
    INTRODUCTION.trimEnd(),
    `Codes common to all operations, with their status: ${errorList(COMMON_ERRORS)}. Others are listed with theirs.`,
    '## Operations',
    'Each with the method of the client that makes the request.',
    ...inOrder().map(operationSection),
    '## Resources',
    'A record is identified by the fields of its key. Fields that an operation does not return are not listed with its resource.',
    ...documented.map((resource) => resourceSection(resource, documented)),
    OBSERVED.trimEnd(),
    'Reading:',
    observedTable(true),
    'Writing:',
    observedTable(false),
    'Resources that only these operations use:',
    ...all.filter((resource) => !documented.includes(resource)).map((resource) => resourceSection(resource, all)),
    NOT_SPECIFIED.trimEnd(),
  ].join('\n\n')}\n`
}

if (import.meta.main) process.stdout.write(serviceApiDocument())
