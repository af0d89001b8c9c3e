import type { DescribedObject, Relation, SchemaDescription } from '@collab-etl/warehouse'

/** In every resource table, and no part of what one is about. */
const EVERYWHERE: ReadonlySet<string> = new Set(['extra', 'valid_from', 'deleted_at'])

/** The tables of the schema and their relations as a Mermaid `erDiagram`; ends with a line break. */
export function entityDiagram({ schema, objects, relations }: SchemaDescription): string {
  const tables = objects.filter((object) => object.kind === 'table' && object.schema === schema)
  return `${['erDiagram', ...tables.flatMap((table) => entity(table, relations)), ...relations.map(line)].join('\n')}\n`
}

function entity({ name, columns }: DescribedObject, relations: readonly Relation[]): string[] {
  const naming = new Set(relations.filter(({ table }) => table === name).flatMap((relation) => relation.columns))
  const attributes = columns
    .filter((column) => !EVERYWHERE.has(column.name))
    .map(({ name: column, type, key }) => {
      const marks = [...(key === null ? [] : ['PK']), ...(naming.has(column) ? ['FK'] : [])].join(', ')
      return `    ${word(type)} ${word(column)} ${marks}`.trimEnd()
    })
  return [`  ${quoted(name)} {`, ...attributes, '  }']
}

/** Many to one: every relation names the whole key of the other table. */
function line({ table, columns, toTable, toColumns, optional }: Relation): string {
  const end = optional ? 'o|' : '||'
  const label =
    columns.join() === toColumns.join() ? columns.join(', ') : `${columns.join(', ')} = ${toColumns.join(', ')}`
  return `  ${quoted(table)} }o--${end} ${quoted(toTable)} : ${quoted(label)}`
}

/** Types and attributes are single words of a narrow alphabet. */
function word(text: string): string {
  return text.replaceAll(/[^\w[\]()]/g, '_').replace(/^(?![a-z])/i, 'x')
}

/** Mermaid knows no escape for a quotation mark. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', "'").replaceAll(/\s+/g, ' ')}"`
}
