import type { DescribedObject, Relation, SchemaDescription } from '@collab-etl/warehouse'
import type { Area } from './areas.ts'

/** In every resource table, and no part of what one is about. */
const EVERYWHERE: ReadonlySet<string> = new Set(['extra', 'valid_from', 'deleted_at'])

/** The tables of the schema and their relations as a Mermaid `erDiagram`; ends with a line break. */
export function entityDiagram({ schema, objects, relations }: SchemaDescription): string {
  const tables = objects.filter((object) => object.kind === 'table' && object.schema === schema)
  return diagramOf(tables, relations)
}

/** One area as a diagram. What it names in other areas is shown as a box without columns. */
export function areaDiagram({ objects, relations }: Area): string {
  return diagramOf(objects, relations)
}

function diagramOf(objects: readonly DescribedObject[], relations: readonly Relation[]): string {
  return `${['erDiagram', ...objects.flatMap((object) => entity(object, relations)), ...relations.map(line)].join('\n')}\n`
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
