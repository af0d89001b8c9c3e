import type { DescribedObject, Relation, SchemaDescription } from '@collab-etl/warehouse'
import { historySection, isAsOf } from './history.ts'
import { code, inline, markdownTable } from './markdown.ts'

/** The data dictionary in Markdown, with the diagram in it; ends with a line break. */
export function dataDictionary({ objects, ...description }: SchemaDescription, diagram: string): string {
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
    ...section('Diagram', [
      'A line says that rows of one table name rows of the other. The database enforces none: what is named may never have been read.',
      `\`\`\`mermaid\n${diagram}\`\`\``,
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
