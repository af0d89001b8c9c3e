import type { DescribedObject, Relation, SchemaDescription } from '@collab-etl/warehouse'

export interface Diagram {
  readonly title: string
  readonly text: string
}

/** The data dictionary in Markdown, with the diagrams in it; ends with a line break. */
export function dataDictionary({ objects, ...description }: SchemaDescription, diagrams: readonly Diagram[]): string {
  const { schema, version, relations } = description
  const own = objects.filter((object) => object.schema === schema)
  const tables = own.filter(({ kind }) => kind === 'table')
  const views = own.filter(({ kind }) => kind === 'view')
  const functions = own.filter((object) => object.kind === 'function' && !isAsOf(object))
  return `${[
    '# Data dictionary',
    `Schema ${code(schema)}, version ${version}. Made by ${code('collab-extract docs')} from the comments in the database.`,
    markdownTable(
      ['object', 'kind', 'what it is'],
      [...tables, ...views, ...functions].map(({ name, kind, comment }) => [code(name), kind, inline(comment)]),
    ),
    ...section('Diagrams', [
      'A line says that rows of one table name rows of the other. The database enforces none: what is named may never have been read.',
      ...diagrams.flatMap(({ title, text }) => [`### ${title}`, `\`\`\`mermaid\n${text}\`\`\``]),
    ]),
    ...section(
      'Tables',
      tables.flatMap((table) => describeTable(table, relations)),
    ),
    ...section('Views', views.flatMap(describeView)),
    ...section('Functions', functions.flatMap(describeFunction)),
    ...section('History', historySection({ ...description, objects }, own.filter(isAsOf))),
  ].join('\n\n')}\n`
}

function section(title: string, content: readonly string[]): string[] {
  return content.length === 0 ? [] : [`## ${title}`, ...content]
}

function describeTable({ name, comment, columns }: DescribedObject, relations: readonly Relation[]): string[] {
  const own = relations.filter(({ table }) => table === name)
  return [
    ...opening(name, comment),
    markdownTable(
      ['column', 'type', 'key', 'null', 'meaning'],
      columns.map(({ name: column, type, key, nullable, comment: meaning }) => [
        ...[code(column), code(type), key === null ? '' : String(key), nullable ? 'yes' : '', inline(meaning)],
      ]),
    ),
    ...(own.length === 0 ? [] : [own.map(describeRelation).join('\n')]),
  ]
}

function describeRelation({ columns, toTable, toColumns, optional }: Relation): string {
  const note = optional ? ' (if any)' : ''
  return `- ${code(columns.join(', '))} → ${code(`${toTable}(${toColumns.join(', ')})`)}${note}`
}

function describeView({ name, comment, columns }: DescribedObject): string[] {
  return [
    ...opening(name, comment),
    markdownTable(
      ['column', 'type', 'meaning'],
      columns.map(({ name: column, type, comment: meaning }) => [code(column), code(type), inline(meaning)]),
    ),
  ]
}

function describeFunction({ name, comment, signature }: DescribedObject): string[] {
  const call = `${code(`${name}(${signature?.arguments ?? ''})`)} → ${code(signature?.returns ?? '')}`
  return [...opening(name, comment), call]
}

function opening(name: string, comment: string | null): string[] {
  return [`### ${inline(name)}`, ...(comment === null ? [] : [inline(comment)])]
}

/** History in few words: what its tables have that the tables of the schema have not, and the functions that read it. */
function historySection(
  { schema, historySchema, objects }: SchemaDescription,
  functions: readonly DescribedObject[],
): string[] {
  const past = objects.filter((object) => object.schema === historySchema)
  const current = new Map(objects.filter((object) => object.schema === schema).map((object) => [object.name, object]))
  return [
    ...grouped(past, (table) => differences(table, current.get(table.name))).map(
      ([text, names]) => `Schema ${code(historySchema)} holds ${codes(names)}. ${text}`,
    ),
    ...grouped(functions, asOf).map(([text, names]) => `${text} There is one for ${codes(names.map(tableOf))}.`),
  ]
}

/** A function that reads history. All tables have the same ones, which are described together. */
function isAsOf({ kind, name }: DescribedObject): boolean {
  return kind === 'function' && name.endsWith('_as_of')
}

/** What can be said, with the names of those it can be said of. */
function grouped(
  objects: readonly DescribedObject[],
  say: (object: DescribedObject) => string,
): (readonly [text: string, names: readonly string[]])[] {
  const groups = new Map<string, string[]>()
  for (const object of objects) {
    const text = say(object)
    const names = groups.get(text)
    if (names === undefined) groups.set(text, [object.name])
    else names.push(object.name)
  }
  return [...groups]
}

function differences({ name, comment, columns }: DescribedObject, current: DescribedObject | undefined): string {
  const about = sentence(comment, name)
  const more = columns.filter((column) => !current?.columns.some((other) => other.name === column.name))
  const table = markdownTable(
    ['column', 'type', 'meaning'],
    more.map((column) => [code(column.name), code(column.type), inline(column.comment)]),
  )
  if (current === undefined) return `${about}\n\n${table}`
  const missing = current.columns.filter((column) => !columns.some((other) => other.name === column.name))
  const keyOf = (object: DescribedObject) =>
    object.columns.filter(({ key }) => key !== null).map((column) => column.name)
  const added = keyOf({ ...current, columns }).filter((column) => !keyOf(current).includes(column))
  const without = missing.length === 0 ? '' : ` without ${codes(missing.map((column) => column.name))}`
  const key = added.length === 0 ? '' : `, and its key with ${codes(added)} at the end`
  const also = more.length === 0 ? '' : ` Also:\n\n${table}\n`
  return `${about} Each has the columns of the table of its name${without}${key}.${also}`.trimEnd()
}

function asOf({ name, comment, signature }: DescribedObject): string {
  const call = `<table>_as_of(${signature?.arguments ?? ''})`
  const returns = signature?.returns ?? ''
  // a function that returns its own column list has the columns of its table
  const alike = returns.startsWith('TABLE(') ? '<table>' : returns.replace(tableOf(name), '<table>')
  return `${code(call)} → ${code(alike)}: ${sentence(comment, tableOf(name))}`
}

function tableOf(name: string): string {
  return name.replace(/_as_of$/, '')
}

/** A comment that names its own table, said of every one. */
function sentence(comment: string | null, table: string): string {
  const text = inline((comment ?? '').replace(` of ${table} `, ' of <table> '))
  return text === '' || text.endsWith('.') ? text : `${text}.`
}

/** Text of the database as Markdown that shows just that text, on one line; nothing for none. */
export function inline(text: string | null): string {
  return (text ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*[\]<>|~&]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .replace(/^[#+-]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
}

/** A name or an expression in code type, within a table's cell or outside of one. */
export function code(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, ' ')
  const longest = Math.max(0, ...[...oneLine.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const space = longest > 0 ? ' ' : ''
  // in a table every | ends a cell unless \ is before it, code or not
  return `${fence}${space}${oneLine.replaceAll('|', '\\|')}${space}${fence}`
}

function codes(names: readonly string[]): string {
  return names.map(code).join(', ')
}

/** A table; cells are Markdown already. */
function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
